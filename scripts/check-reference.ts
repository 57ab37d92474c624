import { readFileSync } from "node:fs";
import { Writable } from "node:stream";
import type { CliContext } from "../core/cli/context.ts";
import { runCli } from "../core/cli/run-cli.ts";
import { triggerRefs } from "../core/engine/triggers/built-in-types.ts";
import { routes } from "../core/http/routes/index.ts";
import configuration from "../svc.config.ts";

/** What the reference must name, each as the page writes it. */
export interface Named {
	/** `GET /v1/executions/<>`, with `<>` for every variable segment. */
	readonly routes: readonly string[];
	readonly queries: readonly string[];
	/** Whole commands, `webhook delivery list`. */
	readonly commands: readonly string[];
	readonly triggers: readonly string[];
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
	const commands = toCommands(pages.cli);
	return [
		...without(named.routes, requests).map((route) => `docs/reference/http-api.md does not name ${route}`),
		...without(requests, named.routes).map((request) => `docs/reference/http-api.md names ${request}, which is not there`),
		...named.queries
			.filter((query) => !toCode(pages.httpApi + pages.events).some((code) => code.split(/\W/).includes(query)))
			.map((query) => `docs/reference/http-api.md does not name the query "${query}"`),
		...named.commands
			.filter((command) => !commands.some((forms) => forms.includes(command)))
			.map((command) => `docs/reference/cli.md does not name ${command}`),
		...commands
			.filter((forms) => without(forms, named.commands).length === forms.length)
			.map(([form]) => `docs/reference/cli.md names ${form}, which is not there`),
		...without(named.triggers, toCode(pages.triggers)).map((trigger) => `docs/reference/triggers.md does not name ${trigger}`),
		...named.runners
			.filter((runner) => !pages.contents.includes(`[${runner}](reference/runners/`))
			.map((runner) => `docs/README.md has no link to a page of the runner ${runner}`),
		...without(named.errors, toCode(pages.errors)).map((code) => `docs/reference/errors.md does not name ${code}`),
	];
}

/** Pages of the documentation that its table of contents has no link to. */
export function findUnlisted(pages: readonly string[], contents: string): string[] {
	return pages
		.filter((page) => page.startsWith("docs/") && page !== "docs/README.md")
		.filter((page) => !contents.includes(`](${page.slice("docs/".length)})`))
		.map((page) => `docs/README.md has no link to ${page}`);
}

/** Problems found in the reference of this project. */
export async function checkReference(): Promise<string[]> {
	const read = (page: string) => readFileSync(`docs/${page}`, "utf8");
	return compareReference(
		{
			routes: routes.map(({ method, component, path }) => `${method} ${toPath(component, path)}`),
			queries: [...new Set(routes.flatMap(({ query }) => Object.keys(query ?? {})))],
			commands: await findCommands(),
			triggers: Object.values(triggerRefs),
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

function without(all: readonly string[], some: readonly string[]): string[] {
	return all.filter((one) => !some.includes(one));
}

function toPath(component: string, path: string): string {
	if (path === "/") return path;
	return `${component === "api" ? "" : `/${component}`}/v1${path.replace(/(\*\*)?:\w+/g, "<>")}`;
}

/** Commands as the help of the program shows them, groups followed down to their last level. */
async function findCommands(group: readonly string[] = []): Promise<string[]> {
	let help = "";
	const stdout = new Writable({
		write(piece, _encoding, done) {
			help += String(piece);
			done();
		},
	});
	const database = { migrate: async () => ({ changes: [], isApplied: false }), move: async () => ({ kinds: [], beside: [] }) };
	const conform: CliContext["conform"] = async ({ kind, module }) => ({ kind, name: "", module, statements: [], leftOut: [] });
	await runCli([...group, "--help"], { stdout, env: {}, serve: async () => 0, database, conform });
	const list = help.split("\nCommands:\n")[1]?.split("\n\n")[0] ?? "";
	const names = [...list.matchAll(/^ {2}([\w-]+)/gm)].map(([, name = ""]) => name);
	const commands = names.filter((name) => name !== "help").map((name) => [...group, name]);
	if (commands.length === 0) return [group.join(" ")];
	return (await Promise.all(commands.map(findCommands))).flat();
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
			const [, method, path] = /^(GET|POST|PUT|DELETE)? ?(\/.*)?$/.exec(code) ?? [];
			if (method !== undefined) methods = complete ? [method] : [...methods, method];
			if (path !== undefined) requests.push(...methods.map((one) => `${one} ${path.replace(/<.*?>/g, "<>")}`));
			complete = path !== undefined;
		}
		return requests;
	});
}

/** "`rule list`, `get <ref>`" are `rule list` and either `get` or `rule get`. */
function toCommands(page: string): string[][] {
	const table = /^## Commands\n([^]*?)^(?=## )/m.exec(page)?.[1] ?? "";
	return toFirstCells(table).flatMap((codes) => {
		const words = codes.map((code) => code.replace(/ [<[-].*/, ""));
		const group = (words[0] ?? "").split(" ").slice(0, -1);
		return words.map((word) => [word, [...group, word].join(" ")]);
	});
}
