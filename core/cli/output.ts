import { stringify } from "yaml";
import type { ListPage } from "../client/page.ts";
import { hasUnseenInLines, toSeenLines } from "../contract/unseen-text.ts";
import { type CliContext, write } from "./context.ts";
import { toTable } from "./table.ts";

export interface FormatOptions {
	readonly json?: boolean;
	readonly yaml?: boolean;
}

/** Print a record: an attribute a line, or JSON or YAML. `attributes` picks and orders the lines (dots reach into objects). */
export async function printRecord(
	record: object,
	attributes: readonly string[],
	options: FormatOptions,
	context: CliContext,
): Promise<void> {
	if (options.json || options.yaml) return write(context.stdout, toData(record, options));
	const lines = attributes
		.map((path) => [path, at(record, path)] as const)
		.filter(([, value]) => value !== undefined)
		.map(
			([path, value]) => `${path}:${typeof value === "object" && value !== null ? `\n${indent(toYaml(value))}` : ` ${toText(value)}\n`}`,
		);
	return write(context.stdout, lines.join(""));
}

/** Print a list: a table of the given columns, or JSON or YAML. A page that is not the whole list is said so on stderr. */
export async function printList<T extends object>(
	page: ListPage<T>,
	columns: readonly string[],
	options: FormatOptions & { readonly limitOption?: string },
	context: CliContext,
): Promise<void> {
	if (options.json || options.yaml) return write(context.stdout, toData(page.items, options));
	if (page.items.length === 0) return write(context.stdout, "No matching records.\n");
	const width = Number(context.env["COLUMNS"] ?? 0) || ("columns" in context.stdout ? Number(context.stdout.columns) : 0) || 150;
	const rows = page.items.map((item) => columns.map((path) => toText(at(item, path))));
	await write(context.stdout, toTable(columns, rows, width));
	if (page.total === undefined || page.total <= page.items.length) return;
	await write(
		context.stderr,
		`${page.items.length} of ${page.total} records shown${options.limitOption ? `; ${options.limitOption} shows more` : ""}.\n`,
	);
}

function toData(value: unknown, options: FormatOptions): string {
	return options.yaml ? toYaml(sorted(value)) : `${JSON.stringify(sorted(value), undefined, 4)}\n`;
}

/** Characters that do not show as what they are can be written out between double quotes only. */
function toYaml(value: unknown): string {
	const text = stringify(value);
	return hasUnseenInLines(text) ? stringify(value, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "QUOTE_DOUBLE" }) : text;
}

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([key, member]) => [key, sorted(member)]),
	);
}

function at(record: unknown, path: string): unknown {
	return path.split(".").reduce<unknown>((value, key) => {
		if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
		return (value as Record<string, unknown>)[key];
	}, record);
}

function toText(value: unknown): string {
	if (value === undefined || value === null) return "";
	// Before the table is laid out: what is written out takes more room.
	return toSeenLines(typeof value === "object" ? JSON.stringify(value) : String(value));
}

function indent(text: string): string {
	return text.replace(/^(?=.)/gm, "    ");
}
