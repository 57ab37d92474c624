import { readFileSync } from "node:fs";
import { fileWrittenType } from "../core/features/actions/file-written-trigger.ts";
import { itemTriggerTypes } from "../core/features/datastore/item-trigger-types.ts";
import { streamEventNames } from "../core/features/executions/stream-events.ts";
import { sensorProcessTypes } from "../core/features/sensors/sensor-process-types.ts";
import { timerTriggerTypes } from "../core/features/timers/timer-types.ts";
import { toEndingTypes } from "../core/features/triggers/completion-trigger-types.ts";
import { webhookType } from "../core/features/webhooks/webhook-type.ts";
import { routes } from "../plugins/_shipped/routes.ts";
import configuration from "../svc.config.ts";
import { readCommands, toFlags } from "./reference/commands.ts";
import { toRequest } from "./reference/request-reference.ts";

/** What the reference must name, each as the page writes it. */
export interface Named {
	/** `GET /v1/executions/<>`, with `<>` for every variable segment. */
	readonly routes: readonly string[];
	readonly queries: readonly string[];
	/** Whole commands, `webhook delivery list`, with the flags that each takes. */
	readonly commands: Readonly<Record<string, readonly string[]>>;
	readonly triggers: readonly { readonly ref: string; readonly payload: readonly string[] }[];
	/** Events of the general stream, `svc.thing__<name>` with `<>` for what is not known beforehand. */
	readonly events: readonly string[];
	readonly runners: readonly string[];
	readonly errors: readonly string[];
}

/** Texts of the pages that must name it. */
export interface Pages {
	readonly httpApi: string;
	readonly events: string;
	readonly cli: string;
	readonly triggers: string;
	readonly errors: string;
	/** Table of contents of the documentation. */
	readonly contents: string;
}

/** What the program has and the reference does not name, and commands and requests that the reference has made up. */
export function compareReference(named: Named, pages: Pages): string[] {
	const requests = toRequests(pages.httpApi);
	const names = Object.keys(named.commands);
	const commands = toCommands(pages.cli);
	return [
		...without(named.routes, requests).map((route) => `docs/reference/http-api.md does not name ${route}`),
		...without(requests, named.routes).map((request) => `docs/reference/http-api.md names ${request}, which is not there`),
		...named.queries
			.filter((query) => !toCode(pages.httpApi + pages.events).some((code) => code.split(/\W/).includes(query)))
			.map((query) => `docs/reference/http-api.md does not name the query "${query}"`),
		...names
			.filter((command) => !commands.some(({ forms }) => forms.includes(command)))
			.map((command) => `docs/reference/cli.md does not name ${command}: add it to the table of commands`),
		...commands
			.filter(({ forms }) => without(forms, names).length === forms.length)
			.map(({ forms: [form] }) => `docs/reference/cli.md names ${form}, which is not there`),
		...compareFlags(named.commands, commands),
		...compareTriggers(named.triggers, pages.triggers),
		...compareEvents(named.events, pages.events),
		...named.runners
			.filter((runner) => !pages.contents.includes(`[${runner}](reference/runners/`))
			.map((runner) => `docs/README.md has no link to a page of the runner ${runner}`),
		...without(named.errors, toCode(pages.errors)).map(
			(code) => `docs/reference/errors.md does not name ${code}: add a row to its first table`,
		),
		...without(toFirstCells(pages.errors).flat().filter(isErrorCode), named.errors).map(
			(code) => `docs/reference/errors.md names ${code}, which is not there`,
		),
	];
}

/** Pages of the documentation that its table of contents has no link to. */
export function findUnlisted(pages: readonly string[], contents: string): string[] {
	return pages
		.filter((page) => page.startsWith("docs/") && page !== "docs/README.md")
		.filter((page) => !contents.includes(`](${page.slice("docs/".length)})`))
		.map((page) => `docs/README.md has no link to ${page}`);
}

const ownTypes = [
	webhookType,
	...[...timerTriggerTypes, ...toEndingTypes({ action_sensor: { enable: true, emit_when: [] } }), fileWrittenType].map(({ type }) => type),
	...[...sensorProcessTypes, ...itemTriggerTypes].map(({ type }) => type),
];

/** Problems found in the reference of this project. */
export async function checkReference(): Promise<string[]> {
	const read = (page: string) => readFileSync(`docs/${page}`, "utf8");
	return compareReference(
		{
			routes: routes.map((route) => toRequest(route).replace(/<.*?>/g, "<>")),
			queries: [...new Set(routes.flatMap(({ query }) => Object.keys(query ?? {})))],
			commands: Object.fromEntries((await readCommands()).map(({ name, options }) => [name, toFlags(options)])),
			triggers: ownTypes.map(({ ref, payload_schema: schema }) => ({ ref, payload: Object.keys(schema["properties"] ?? {}) })),
			events: [...streamEventNames],
			runners: configuration.runners.map(({ name }) => name),
			errors: [...new Set(readFileSync("core/contract/errors.ts", "utf8").match(/\bSVC_[A-Z_]+\b/g))],
		},
		{
			httpApi: read("reference/http-api.md"),
			events: read("reference/events.md"),
			cli: read("reference/cli.md"),
			triggers: read("reference/triggers.md"),
			errors: read("reference/errors.md"),
			contents: read("README.md"),
		},
	);
}

function isErrorCode(code: string): boolean {
	return code.startsWith("SVC_");
}

/** Each built-in trigger type has a row that names the members of its payload; types that share one share the members. */
function compareTriggers(triggers: Named["triggers"], page: string): string[] {
	const rows = rowsOf(page).filter(([first = ""]) => first.startsWith("`core."));
	const missing = triggers.flatMap(({ ref, payload }) => {
		const row = rows.find(([first = ""]) => toCode(first).includes(ref));
		if (row === undefined) return [`docs/reference/triggers.md does not name ${ref}: add a row to its built-in types`];
		return without(payload, toCode(row.join("|"))).map(
			(member) => `docs/reference/triggers.md: the row of ${ref} does not name "${member}" of its payload`,
		);
	});
	const known = triggers.map(({ ref }) => ref);
	const extra = without(
		rows.flatMap(([first = ""]) => toCode(first)),
		known,
	);
	return [...missing, ...extra.map((ref) => `docs/reference/triggers.md names ${ref}, which is not there`)];
}

/** Each event of the general stream has a row that says what its data is. */
function compareEvents(events: readonly string[], page: string): string[] {
	const rows = rowsOf(page).filter(([first = ""]) => first.startsWith("`svc."));
	const written = rows.flatMap(([first = "", data = ""]) => toCode(first).map((name) => ({ name: name.replace(/<.*?>/g, "<>"), data })));
	return [
		...without(
			events,
			written.map(({ name }) => name),
		).map((name) => `docs/reference/events.md does not name ${name}: add a row to its table of events`),
		...without(
			written.map(({ name }) => name),
			events,
		).map((name) => `docs/reference/events.md names ${name}, which is not there`),
		...written
			.filter(({ data }) => data.trim() === "")
			.map(({ name }) => `docs/reference/events.md does not say what the data of ${name} is`),
	];
}

/** Cells of the rows of all tables. */
function rowsOf(page: string): string[][] {
	return [...page.matchAll(/^\|(.*)\|$/gm)].map(([, row = ""]) => row.split("|").map((cell) => cell.trim()));
}

function without(all: readonly string[], some: readonly string[]): string[] {
	return all.filter((one) => !some.includes(one));
}

/** Code in the first cell of each row of the tables. */
function toFirstCells(text: string): string[][] {
	return [...text.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => toCode(cell));
}

function toCode(text: string): string[] {
	return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** "`GET`, `PUT /a`, `/b`" are GET and PUT of /a and PUT of /b. The section on permissions says what is needed for requests named elsewhere. */
function toRequests(page: string): string[] {
	return toFirstCells(page.replace(/^## Permissions\n[^]*?^(?=## )/m, "")).flatMap((codes) => {
		const requests: string[] = [];
		let methods: string[] = [];
		let complete = false;
		for (const code of codes) {
			const [, method, path] = /^(GET|HEAD|POST|PUT|DELETE)? ?(\/.*)?$/.exec(code) ?? [];
			if (method !== undefined) methods = complete ? [method] : [...methods, method];
			if (path !== undefined) requests.push(...methods.map((one) => `${one} ${path.replace(/<.*?>/g, "<>")}`));
			complete = path !== undefined;
		}
		return requests;
	});
}

/** A command that a row names: with and without the group of the row's first, and the flags that the row mentions. */
interface WrittenCommand {
	readonly row: number;
	readonly forms: readonly string[];
	readonly flags: readonly string[];
}

/** "`rule list`, `get <ref>`" are `rule list` and either `get` or `rule get`. */
function toCommands(page: string): WrittenCommand[] {
	const table = /^## Commands\n([^]*?)^(?=## )/m.exec(page)?.[1] ?? "";
	const rows = table.split("\n").filter((line) => line.startsWith("| `"));
	return rows.flatMap((line, row) => {
		const words = (toFirstCells(line)[0] ?? []).map((code) => code.replace(/ [<[-].*/, ""));
		const group = (words[0] ?? "").split(" ").slice(0, -1);
		// In the meaning, what begins with a word is another command.
		const codes = [...(toFirstCells(line)[0] ?? []), ...toCode(line).filter((code) => code.startsWith("-"))];
		const flags = codes.flatMap((code) => [...code.matchAll(/(?<=^|[\s[])--?[a-z][\w-]*/gi)].map(([flag]) => flag));
		return words.map((word) => ({ row, forms: [word, [...group, word].join(" ")], flags }));
	});
}

/** Each flag that a row mentions belongs to a command of the row. */
function compareFlags(commands: Named["commands"], written: readonly WrittenCommand[]): string[] {
	const rows = [...new Set(written.map(({ row }) => row))].map((row) => written.filter((command) => command.row === row));
	return rows.flatMap((row) => {
		const taken = row.flatMap(({ forms }) => forms.flatMap((form) => commands[form] ?? []));
		const flags = [...new Set(row.flatMap((command) => command.flags))];
		return without(flags, taken).map(
			(flag) => `docs/reference/cli.md names ${flag} with ${row[0]?.forms[0]}, which no command of that row takes`,
		);
	});
}
