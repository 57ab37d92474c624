import { Writable } from "node:stream";
import type { Command } from "commander";
import type { CliContext } from "../../core/cli/context.ts";
import type { AddCommands } from "../../core/cli.ts";
import { runSvcWith } from "../../core/service/run-svc.ts";
import { commands, runSvc } from "../../plugins/_shipped/run-svc.ts";

/** A command as its help shows it. */
export interface CommandHelp {
	/** Words that call it, `rule list`. */
	readonly name: string;
	/** With its arguments: `rule get [options] <ref...>`. */
	readonly usage: string;
	readonly description: string;
	readonly options: readonly CommandOption[];
	/** Lines that a user can type. */
	readonly examples: readonly string[];
}

export interface CommandOption {
	/** `-n, --limit <count>`. */
	readonly flags: string;
	readonly meaning: string;
}

/** Every command of the program, groups followed down to their last level; a group that takes options of its own is one, too. */
export async function readCommands(group: readonly string[] = []): Promise<readonly CommandHelp[]> {
	const help = await readHelp(group);
	const list = sectionOf(help, "Commands");
	const names = list.map(({ flags }) => flags.split(/[ |]/)[0] ?? "").filter((name) => name !== "help");
	const own = parseHelp(group.join(" "), help);
	if (names.length === 0) return [own];
	const isCommand = group.length > 0 && own.options.length > 1;
	const below = (await Promise.all(names.map((name) => readCommands([...group, name])))).flat();
	return isCommand ? [own, ...below] : below;
}

/** Options that every command takes. */
export async function readGlobalOptions(): Promise<readonly CommandOption[]> {
	return sectionOf(await readHelp([]), "Options");
}

/** `-n` and `--limit` of `-n, --limit <count>`. */
export function toFlags(options: readonly CommandOption[]): readonly string[] {
	return options.flatMap(({ flags }) => flags.match(/--?[a-z][\w-]*/gi) ?? []);
}

/** What the text of a command's help says. */
export function parseHelp(name: string, help: string): CommandHelp {
	const usage = /^Usage: svc (.*)$/m.exec(help)?.[1] ?? name;
	const description = /\n\n([^]*?)\n\n(?:\w+ ?\w*:\n|$)/.exec(help)?.[1] ?? "";
	const examples = sectionOf(help, "Examples").map(({ flags }) => flags);
	return { name, usage, description: description.replace(/\s+/g, " "), options: sectionOf(help, "Options"), examples };
}

/** Lines of two columns, of which the second may go on in further lines. */
function sectionOf(help: string, title: string): readonly CommandOption[] {
	const text = new RegExp(`^${title}:\\n([^]*?)(?:\\n\\n|$(?![^]))`, "m").exec(help)?.[1] ?? "";
	const joined = text.replace(/\n {3,}/g, " ");
	return [...joined.matchAll(/^ {2}(\S.*?)(?: {2,}(.*))?$/gm)].map(([, flags = "", meaning = ""]) => ({ flags, meaning: meaning.trim() }));
}

/** The program with all commands, to read their declarations. */
export async function openProgram(): Promise<Command> {
	let program: Command | undefined;
	const capture: AddCommands = (parent) => {
		program = parent;
	};
	const stdout = new Writable({ write: (_piece, _encoding, done) => done() });
	await runSvcWith([...commands, capture], ["--help"], { ...createContext(), stdout, env: {} });
	if (program === undefined) throw new Error("the commands were not added");
	return program;
}

async function readHelp(words: readonly string[]): Promise<string> {
	let help = "";
	const stdout = new Writable({
		write(piece, _encoding, done) {
			help += String(piece);
			done();
		},
	});
	await runSvc([...words, "--help"], { ...createContext(), stdout, env: {} });
	return help;
}

/** A context in which the program has all its commands, and none of them does anything. */
function createContext(): Partial<CliContext> {
	const database = {
		migrate: async () => ({ changes: [], newPlace: undefined, isApplied: false }),
		move: async () => ({ kinds: [], beside: [] }),
		backup: async () => ({ file: "", bytes: 0, beside: [] }),
		restore: async () => ({ old: undefined }),
	};
	const plan = async () => ({ version: "", contract: 1, config: "", would_start: true, after_running: false, problems: [], warnings: [] });
	const conform: CliContext["conform"] = async ({ kind, module }) => ({ kind, name: "", module, statements: [], leftOut: [] });
	const definitions: CliContext["definitions"] = async () => ({
		inspect: async () => [],
		graph: () => ({ nodes: [], edges: [] }),
		test: async () => [],
	});
	const packs: CliContext["packs"] = { check: async () => [], test: async () => [] };
	const nothing = async () => {};
	const users: CliContext["users"] = (_options, use) => use({ listUsers: async () => [], setPassword: nothing, removeUser: nothing });
	return { serve: async () => 0, worker: async () => 0, plan, users, database, conform, definitions, packs };
}
