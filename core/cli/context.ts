import type { Writable } from "node:stream";
import { escapeControlCharactersInLines } from "../contract/control-characters.ts";
import type { AuthBackend, DefinitionCaseResult, DefinitionFinding, DefinitionGraph, PluginKind } from "../contract/index.ts";
import type { PackWork } from "./pack-work.ts";
import type { ServicePlan } from "./service-plan.ts";

/** What the command needs from the process around it, so that tests can stand in for it. */
export interface CliContext {
	readonly stdout: Writable;
	readonly stderr: Writable;
	readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Runs the service until it is told to stop; gives the exit code. Absent where only client commands are wanted. */
	readonly serve?: (options: ServeOptions & { readonly open: boolean }) => Promise<number>;
	/** Work on the database of a configuration. Absent where only client commands are wanted. */
	readonly database?: DatabaseWork;
	/** Works with the users that the auth backend of a configuration keeps itself. Absent where only client commands are wanted. */
	readonly users?: UserWork;
	/** What `serve` would do. Absent where only client commands are wanted. */
	readonly plan?: (options: ServeOptions) => Promise<ServicePlan>;
	/** Reads definitions of workflows without a service. Absent where only client commands are wanted. */
	readonly definitions?: (options: DefinitionOptions) => Promise<LocalDefinitions>;
	/** Checks and tests packs without a service. Absent where only client commands are wanted. */
	readonly packs?: PackWork;
	/** Runs the conformance kit of a plugin. Absent where only client commands are wanted. */
	readonly conform?: (options: ConformOptions) => Promise<ConformReport>;
	/** Takes work from a service until it is told to stop; gives the exit code. Absent where only client commands are wanted. */
	readonly worker?: (options: WorkerOptions) => Promise<number>;
	/** Calls `listener` for every Ctrl-C until the returned function is called. */
	readonly onInterrupt: (listener: () => void) => () => void;
}

export interface ServeOptions {
	/** Path of the configuration file as given, relative to the working directory. */
	readonly config: string;
	/** Parts of the service to run, as given; undefined: what the configuration says. */
	readonly only?: readonly string[] | undefined;
}

/** How a worker is run. */
export interface WorkerOptions {
	/** Path of the configuration file with the runners, as given. Default: `svc.config.ts` of the working directory, else the one of the package. */
	readonly config?: string | undefined;
	/** Base of the API of the service. */
	readonly apiUrl: string;
	readonly apiKey: string;
	readonly name: string;
	readonly labels: readonly string[];
	/** Runner types that it has; undefined: all of the configuration. */
	readonly runners?: readonly string[] | undefined;
	/** Most runs at once. */
	readonly places: number;
	/** Seconds that what runs may go on after the first signal. */
	readonly grace: number;
	/** File with certificates of authorities besides those that Node knows. */
	readonly ca?: string | undefined;
	/** Where files of packs and what runners keep lie. */
	readonly dataDirectory: string;
}

export interface DefinitionOptions {
	/** Path of the configuration file with the runner, as given. Default: `svc.config.ts` of the working directory, else the one of the package. */
	readonly config?: string | undefined;
	/** The runner that the definitions are written for. */
	readonly runner: string;
}

/** What a runner says of definitions. Actions are not looked at. */
export interface LocalDefinitions {
	inspect(definition: string): Promise<readonly DefinitionFinding[]>;
	/** `SVC_INVALID` for a text that is no definition. */
	graph(definition: string): DefinitionGraph | Promise<DefinitionGraph>;
	/** `SVC_INVALID` for a text that holds no cases, and where the runner cannot try them. */
	test(definition: string, cases: string): Promise<readonly DefinitionCaseResult[]>;
}

/** The users that an auth backend keeps itself. */
export type KeptUsers = Required<Pick<AuthBackend, "listUsers" | "setPassword" | "removeUser">>;

/** Do something with the users; the backend is started and stopped around it. */
export type UserWork = <T>(options: Pick<ServeOptions, "config">, use: (users: KeptUsers) => Promise<T>) => Promise<T>;

export interface DatabaseWork {
	/** What the schema needs; made unless `plan`. */
	migrate(options: ServeOptions & { readonly plan: boolean }): Promise<{
		readonly changes: readonly string[];
		/** Path or address of a database that held nothing. */
		readonly newPlace: string | undefined;
		readonly isApplied: boolean;
	}>;
	/** Write what is kept at this moment into a file that is not there yet. */
	backup(
		options: ServeOptions & { readonly file: string },
	): Promise<{ readonly file: string; readonly bytes: number; readonly beside: readonly string[] }>;
	/** Put a backup in the place of what is kept: where that is now. */
	restore(options: ServeOptions & { readonly file: string }): Promise<{ readonly old: string | undefined }>;
	/** Copy everything to the database at the address `to`, and compare. */
	move(options: ServeOptions & { readonly to: string; readonly onCopied: (kind: string, count: number) => void }): Promise<MoveReport>;
}

/** Counts and hashes of each kind of records in both databases, and what is in neither. */
export interface MoveReport {
	readonly kinds: readonly {
		readonly kind: string;
		readonly source: { readonly count: number; readonly hash: string };
		readonly target: { readonly count: number; readonly hash: string };
		readonly isEqual: boolean;
	}[];
	readonly beside: readonly string[];
}

/** The kinds of plugins that there are kits for. */
export const conformKinds = ["runner", "auth-backend", "storage", "event-bus", "sensor"] as const satisfies readonly PluginKind[];

export type ConformKind = (typeof conformKinds)[number];

export interface ConformOptions {
	readonly kind: ConformKind;
	/** Path of the module as given, relative to the working directory. */
	readonly module: string;
	/** Part of the names of the statements to run. Default: all. */
	readonly only?: string | undefined;
	/** Milliseconds that one statement may take. */
	readonly timeout: number;
	/** How often to run all of it; ends with the first round in which a statement is refused. */
	readonly times: number;
}

/** How each statement of a kit came out. */
export interface ConformReport {
	readonly kind: ConformKind;
	/** The plugin's. */
	readonly name: string;
	readonly module: string;
	readonly statements: readonly ConformStatement[];
	/** What was not asked, and how to have it asked. */
	readonly leftOut: readonly string[];
}

export interface ConformStatement {
	readonly name: string;
	/** From 1 on. */
	readonly round: number;
	readonly milliseconds: number;
	/** Why the statement does not hold; undefined when it does. */
	readonly error: string | undefined;
}

/** Ends the command with an exit code; `message` goes to stderr. */
export class CliExit extends Error {
	override readonly name = "CliExit";
	readonly exitCode: number;

	constructor(exitCode: number, message = "") {
		super(message);
		this.exitCode = exitCode;
	}
}

/** Write and wait while the reader is behind. What is in records comes from anybody: none of it reaches a terminal as a command. */
export function write(stream: Writable, text: string): Promise<void> {
	return writeAsIs(stream, escapeControlCharactersInLines(text));
}

/** Write the output of an action: byte for byte into files and pipes, to a terminal without what would command it. */
export function writeOutput(stream: Writable, text: string): Promise<void> {
	return writeAsIs(stream, "isTTY" in stream && stream.isTTY === true ? toTerminalOutput(text) : text);
}

/** Write what is put together of words that are written out already, and of our own colours. */
export function writePainted(stream: Writable, text: string): Promise<void> {
	return writeAsIs(stream, toTerminalOutput(text));
}

function writeAsIs(stream: Writable, text: string): Promise<void> {
	// A reader that has left (`svc … | head`) makes the stream fail; `followRun` ends for it.
	if (stream.destroyed || stream.writableEnded) return Promise.resolve();
	return new Promise((resolve) => {
		stream.write(text, () => resolve());
	});
}

const escapeCharacter = String.fromCharCode(0x1b);
/** Control sequences that are kept: colours and font weights, and carriage returns, which progress bars need. */
const harmless = new RegExp(`(${escapeCharacter}\\[[\\d;:]{0,32}m|\\r)`);

/**
 * Returns output of an action that is safe to print on a terminal: without the control sequences that move the cursor, set the title or
 * write to the clipboard.
 */
export function toTerminalOutput(text: string): string {
	return text
		.split(harmless)
		.map((part, index) => (index % 2 === 1 ? part : escapeControlCharactersInLines(part)))
		.join("");
}
