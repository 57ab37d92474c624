import type { Writable } from "node:stream";
import { escapeControlCharactersInLines } from "../contract/control-characters.ts";
import type {
	AuthBackend,
	DefinitionCaseResult,
	DefinitionFinding,
	DefinitionGraph,
	PackFinding,
	PackTestResult,
	PluginKind,
} from "../contract/index.ts";
import type { ServicePlan } from "./service-plan.ts";

/** Dependencies of the command on its process, so that tests can replace them. */
export interface CliContext {
	readonly stdout: Writable;
	readonly stderr: Writable;
	readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Runs the service until it is stopped; resolves with the exit code. Absent if only client commands are needed. */
	readonly serve?: (options: ServeOptions & { readonly open: boolean }) => Promise<number>;
	/** Operations on the database of a configuration. Absent if only client commands are needed. */
	readonly database?: DatabaseOperations;
	/** Manages the users that the auth backend of a configuration stores itself. Absent if only client commands are needed. */
	readonly users?: UserOperations;
	/** Returns the plan of what `serve` would do. Absent if only client commands are needed. */
	readonly plan?: (options: ServeOptions) => Promise<ServicePlan>;
	/** Prepares checks and tests of workflow definitions without a service. Absent if only client commands are needed. */
	readonly definitions?: (options: DefinitionOptions) => Promise<LocalDefinitions>;
	/** Checks and tests packs without a service. Absent if only client commands are needed. */
	readonly packs?: PackOperations;
	/** Runs the conformance kit of a plugin. Absent if only client commands are needed. */
	readonly conform?: (options: ConformOptions) => Promise<ConformReport>;
	/** Executes runs for a service until it is stopped; resolves with the exit code. Absent if only client commands are needed. */
	readonly worker?: (options: WorkerOptions) => Promise<number>;
	/** Calls `listener` for every Ctrl-C until the returned function is called. */
	readonly onInterrupt: (listener: () => void) => () => void;
}

export interface ServeOptions {
	/** Path of the configuration file as given, relative to the working directory. */
	readonly config: string;
	/** Roles to run, as given on the command line. Undefined: the roles of the configuration. */
	readonly only?: readonly string[] | undefined;
}

/** Options of `svc worker`. */
export interface WorkerOptions {
	/**
	 * Path of the configuration file with the runners, as given. Default: `svc.config.ts` in the working directory, otherwise the one that svc
	 * ships.
	 */
	readonly config?: string | undefined;
	/** Base address of the API of the service. */
	readonly apiUrl: string;
	readonly apiKey: string;
	readonly name: string;
	readonly labels: readonly string[];
	/** Runner types that the worker provides. Undefined: all runner types of the configuration. */
	readonly runners?: readonly string[] | undefined;
	/** Maximum number of runs at a time. */
	readonly places: number;
	/** Seconds for which runs may continue after the first signal to stop. */
	readonly grace: number;
	/** File with CA certificates, in addition to those that Node.js ships. */
	readonly ca?: string | undefined;
	/** Directory for the files of packs and the data of runners. */
	readonly dataDirectory: string;
}

export interface DefinitionOptions {
	/**
	 * Path of the configuration file with the runner, as given. Default: `svc.config.ts` in the working directory, otherwise the one that svc
	 * ships.
	 */
	readonly config?: string | undefined;
	/** Name of the runner that the definitions are written for. */
	readonly runner: string;
}

/** Checks and tests definitions with their runner. Actions are not checked. */
export interface LocalDefinitions {
	inspect(definition: string): Promise<readonly DefinitionFinding[]>;
	/** Throws `SVC_INVALID` if the string is not a definition. */
	graph(definition: string): DefinitionGraph | Promise<DefinitionGraph>;
	/** Throws `SVC_INVALID` if the string contains no cases, or if the runner cannot test definitions. */
	test(definition: string, cases: string): Promise<readonly DefinitionCaseResult[]>;
}

/** Operations on the sources of packs. They need no service. */
export interface PackOperations {
	/** Returns all problems of packs. The packs may refer to each other and to those of the configuration. */
	check(options: PackOperationOptions): Promise<readonly PackCheck[]>;
	/** Runs the tests that packs contain. */
	test(options: PackTestOptions): Promise<readonly PackTests[]>;
}

/** Options for checking packs. */
export interface PackOperationOptions {
	/** Directories with a `pack.yaml`, or directories that contain such directories, as given. */
	readonly directories: readonly string[];
	/**
	 * Path of the configuration file with the runners, as given. Default: `svc.config.ts` in the working directory, otherwise the one that svc
	 * ships.
	 */
	readonly config?: string | undefined;
	/** Aborts if the caller no longer waits for the result. */
	readonly signal: AbortSignal;
}

/** Options for running the tests of packs. */
export interface PackTestOptions extends PackOperationOptions {
	/** Substring that the name or the file of a test must contain. Default: all tests. */
	readonly only?: string | undefined;
}

/** Result of checking a pack. */
export interface PackCheck {
	readonly pack: string;
	/** Absolute path. */
	readonly directory: string;
	/** Findings, ordered by file and line. */
	readonly findings: readonly PackFinding[];
}

/** Results of the tests of a pack. */
export interface PackTests {
	readonly pack: string;
	/** Absolute path. */
	readonly directory: string;
	readonly results: readonly PackTestResult[];
}

/** Operations on the users that an auth backend stores itself. */
export type UserAdmin = Required<Pick<AuthBackend, "listUsers" | "setPassword" | "removeUser">>;

/** Calls `use` with the operations of the auth backend. The backend is started before and stopped afterwards. */
export type UserOperations = <T>(options: Pick<ServeOptions, "config">, use: (users: UserAdmin) => Promise<T>) => Promise<T>;

export interface DatabaseOperations {
	/** Applies the schema changes that are needed; only lists them if `plan` is set. */
	migrate(options: ServeOptions & { readonly plan: boolean }): Promise<{
		readonly changes: readonly string[];
		/** Path or address of a database that was empty. */
		readonly newPlace: string | undefined;
		readonly isApplied: boolean;
	}>;
	/** Writes a snapshot of the stored records to a file that does not exist yet. */
	backup(
		options: ServeOptions & { readonly file: string },
	): Promise<{ readonly file: string; readonly bytes: number; readonly beside: readonly string[] }>;
	/** Replaces the stored records with a backup. Returns the path of the old database; undefined if there was none. */
	restore(options: ServeOptions & { readonly file: string }): Promise<{ readonly old: string | undefined }>;
	/** Copies everything to the database at the address `to`, and compares the two. */
	move(options: ServeOptions & { readonly to: string; readonly onCopied: (kind: string, count: number) => void }): Promise<MoveReport>;
}

/** Counts and hashes of each kind of records in both databases, and the files that are in neither. */
export interface MoveReport {
	readonly kinds: readonly {
		readonly kind: string;
		readonly source: { readonly count: number; readonly hash: string };
		readonly target: { readonly count: number; readonly hash: string };
		readonly isEqual: boolean;
	}[];
	readonly beside: readonly string[];
}

/** Kinds of plugins that have a conformance kit. */
export const conformKinds = ["runner", "auth-backend", "storage", "event-bus", "sensor"] as const satisfies readonly PluginKind[];

export type ConformKind = (typeof conformKinds)[number];

export interface ConformOptions {
	readonly kind: ConformKind;
	/** Path of the module as given, relative to the working directory. */
	readonly module: string;
	/** Substring that the names of the tested statements must contain. Default: all statements. */
	readonly only?: string | undefined;
	/** Maximum milliseconds for one statement. */
	readonly timeout: number;
	/** Number of rounds; testing ends after the first round in which a statement fails. */
	readonly times: number;
}

/** Results of all statements of a conformance kit. */
export interface ConformReport {
	readonly kind: ConformKind;
	/** Name of the plugin. */
	readonly name: string;
	readonly module: string;
	readonly statements: readonly ConformStatement[];
	/** Statements that were not tested, and how to enable them. */
	readonly leftOut: readonly string[];
}

export interface ConformStatement {
	readonly name: string;
	/** Number of the round, from 1. */
	readonly round: number;
	readonly milliseconds: number;
	/** Reason why the statement does not hold. Undefined if it holds. */
	readonly error: string | undefined;
}

/** Thrown to end the command with an exit code. Its message is printed to stderr. */
export class CliExit extends Error {
	override readonly name = "CliExit";
	readonly exitCode: number;

	constructor(exitCode: number, message = "") {
		super(message);
		this.exitCode = exitCode;
	}
}

/**
 * Writes text, and waits while the reader is slow. Escapes control characters: any user may have created the printed records, and these
 * must not control the terminal.
 */
export function write(stream: Writable, text: string): Promise<void> {
	return writeAsIs(stream, escapeControlCharactersInLines(text));
}

/**
 * Writes the output of an action. Files and pipes get it byte for byte; a terminal gets no control sequences except colours and font
 * weights.
 */
export function writeOutput(stream: Writable, text: string): Promise<void> {
	return writeAsIs(stream, "isTTY" in stream && stream.isTTY === true ? toTerminalOutput(text) : text);
}

/**
 * Writes text that the caller has escaped and coloured. Keeps colours, font weights, carriage returns, line breaks and tabs, and escapes
 * all other control characters.
 */
export function writePainted(stream: Writable, text: string): Promise<void> {
	return writeAsIs(stream, toTerminalOutput(text));
}

function writeAsIs(stream: Writable, text: string): Promise<void> {
	// A closed pipe (`svc … | head`) makes the stream fail. That is ignored here; `followRun` ends in that case.
	if (stream.destroyed || stream.writableEnded) return Promise.resolve();
	return new Promise((resolve) => {
		stream.write(text, () => resolve());
	});
}

const escapeCharacter = String.fromCharCode(0x1b);
/** Control sequences that are kept: colours and font weights, and carriage returns, which progress bars need. */
const harmless = new RegExp(`(${escapeCharacter}\\[[\\d;:]{0,32}m|\\r)`);

/**
 * Returns output of an action that is safe to print on a terminal. Keeps colours, font weights and carriage returns, and escapes all other
 * control sequences, such as those that move the cursor, set the title or write to the clipboard.
 */
export function toTerminalOutput(text: string): string {
	return text
		.split(harmless)
		.map((part, index) => (index % 2 === 1 ? part : escapeControlCharactersInLines(part)))
		.join("");
}
