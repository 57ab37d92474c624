import { stringify } from "yaml";
import type { ListPage } from "../client/page.ts";
import { escapeControlCharactersInLines, hasControlCharactersInLines } from "../contract/control-characters.ts";
import { stringifyJson } from "../contract/index.ts";
import { type CliContext, write, writePainted } from "./context.ts";
import { colourOfState, isStateName, type Paint, paintFor, toOutputCapabilities } from "./output-capabilities.ts";
import { toTable } from "./table.ts";

/** Options for the output format. */
export interface FormatOptions {
	readonly json?: boolean;
	readonly yaml?: boolean;
	/** `wide`: a list in full, with one line for each record. `table`: a record as a table. */
	readonly output?: OutputForm;
	/** Attributes to print, in this order. Dots reach into objects; `all` means all attributes of the top level. */
	readonly attr?: readonly string[];
}

/** Formats that `-o` accepts. */
export const outputForms = ["table", "wide", "json", "yaml"] as const;
export type OutputForm = (typeof outputForms)[number];

/**
 * Prints a record with one line for each attribute, or as the options specify. `attributes` selects and orders the lines (dots reach into
 * objects).
 */
export async function printRecord(
	record: object,
	attributes: readonly string[],
	options: FormatOptions,
	context: CliContext,
): Promise<void> {
	if (options.json || options.yaml) return write(context.stdout, toData(options.attr ? pick(record, options.attr) : record, options));
	const paint = paintFor(toOutputCapabilities(context.stdout, context.env));
	const members = shownNames(attributes, options, [record])
		.map((path) => [path, at(record, path)] as const)
		.filter(([, value]) => value !== undefined);
	if (options.output === "table") {
		const rows = members.map(([path, value]) => [
			path,
			isObject(value) ? escapeControlCharactersInLines(toYaml(value).trimEnd()) : toText(value),
		]);
		return printTable(["property", "value"], rows, options, context);
	}
	const lines = members.map(([path, value]) => {
		const name = paint("bold", `${escapeControlCharactersInLines(path)}:`);
		return isObject(value)
			? `${name}\n${escapeControlCharactersInLines(indent(toYaml(value)))}`
			: `${name} ${toPaintedText(path, value, paint)}\n`;
	});
	return writePainted(context.stdout, lines.join(""));
}

/** Prints a list as a table of the given columns, or as the options specify. If the page is not the whole list, reports that on stderr. */
export async function printList<T extends object>(
	page: ListPage<T>,
	columns: readonly string[],
	options: FormatOptions & { readonly limitOption?: string },
	context: CliContext,
): Promise<void> {
	if (options.json || options.yaml) {
		const { attr } = options;
		return write(context.stdout, toData(attr ? page.items.map((item) => pick(item, attr)) : page.items, options));
	}
	if (page.items.length === 0) return write(context.stdout, "No matching records.\n");
	const shown = shownNames(columns, options, page.items);
	await printTable(
		shown,
		page.items.map((item) => shown.map((path) => toText(at(item, path)))),
		options,
		context,
	);
	if (page.total === undefined || (page.total <= page.items.length && page.hasMore !== true)) return;
	await write(
		context.stderr,
		`Showing ${page.items.length} of ${page.hasMore === true ? "more than " : ""}${page.total} records${options.limitOption ? `; use ${options.limitOption} to show more` : ""}.\n`,
	);
}

/** Returns the page with the records as rows of a table. For output as JSON or YAML, returns the page unchanged. */
export function toTablePage<T extends object>(
	page: ListPage<T>,
	{ json, yaml }: FormatOptions,
	toRow: (record: T) => object,
): ListPage<object> {
	return json || yaml ? page : { ...page, items: page.items.map(toRow) };
}

/** Returns the value of `include_attributes` for a list request. Returns undefined for all attributes. */
export function toIncluded(columns: readonly string[], { attr = columns }: FormatOptions): string | undefined {
	return attr.includes("all") ? undefined : attr.join(",");
}

async function printTable(
	columns: readonly string[],
	rows: readonly (readonly string[])[],
	{ output }: FormatOptions,
	context: CliContext,
): Promise<void> {
	const screen = toOutputCapabilities(context.stdout, context.env);
	const { isTerminal } = screen;
	const isLimited = output !== "wide" && (isTerminal || Boolean(context.env["COLUMNS"]));
	const { text, hidden } = toTable(columns.map(escapeControlCharactersInLines), rows, {
		width: isLimited ? screen.width : Number.POSITIVE_INFINITY,
		paint: paintFor(screen),
		now: isTerminal && output !== "wide" ? Date.now() : undefined,
		// A program that reads the table counts on its columns.
		keepAll: !isTerminal,
	});
	await writePainted(context.stdout, text);
	if (hidden.length > 0) await write(context.stderr, `Hidden columns: ${hidden.join(", ")}; use -o wide to show them.\n`);
}

function shownNames(names: readonly string[], { attr = names }: FormatOptions, records: readonly object[]): readonly string[] {
	return attr.flatMap((name) => (name === "all" ? [...new Set(records.flatMap((record) => Object.keys(record)))] : [name]));
}

/** Returns the requested attributes, in their nested objects. */
function pick(record: object, names: readonly string[]): object {
	const picked: Record<string, unknown> = Object.create(null);
	for (const path of shownNames([], { attr: names }, [record])) {
		const value = at(record, path);
		if (value === undefined) continue;
		const keys = path.split(".");
		const last = keys.pop() ?? "";
		let target = picked;
		for (const key of keys) {
			const inner = isObject(target[key]) && Object.getPrototypeOf(target[key]) === null ? target[key] : Object.create(null);
			target[key] = inner;
			target = inner as Record<string, unknown>;
		}
		target[last] = value;
	}
	return picked;
}

function toData(value: unknown, options: FormatOptions): string {
	return options.yaml ? toYaml(sorted(value)) : `${stringifyJson(sorted(value), 4)}\n`;
}

/**
 * Serializes a value as YAML. Double quotes are used if there are invisible characters, because only these quotes allow escape sequences.
 */
function toYaml(value: unknown): string {
	const text = stringify(value);
	return hasControlCharactersInLines(text) ? stringify(value, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "QUOTE_DOUBLE" }) : text;
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

function isObject(value: unknown): value is object {
	return typeof value === "object" && value !== null;
}

function toPaintedText(path: string, value: unknown, paint: Paint): string {
	const text = toText(value);
	const colour = isStateName(path) ? colourOfState(text) : undefined;
	return colour === undefined ? text : paint(colour, text);
}

function toText(value: unknown): string {
	if (value === undefined || value === null) return "";
	// Escape before the table is laid out: escaped characters are wider.
	return escapeControlCharactersInLines(typeof value === "object" ? stringifyJson(value) : String(value));
}

function indent(text: string): string {
	return text.replace(/^(?=.)/gm, "    ");
}
