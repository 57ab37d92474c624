import type { Knex } from "knex";
import type { EntityKind, FieldType, PluginContext, StorageCapabilities } from "../../core/contract/index.ts";
import type { LargeTexts } from "./large-texts.ts";
import type { Binding } from "./values.ts";

/**
 * SQL of a statement and the kind of its result: one row, many rows, or the number of rows that it changed. A statement with the result
 * `change` fails if it changes no row.
 */
export interface Statement {
	readonly sql: string;
	readonly resultKind: "row" | "rows" | "changes" | "change";
}

/** A statement with its bindings. */
export interface Step {
	readonly statement: Statement;
	readonly bindings: readonly Binding[];
	/** Rows that the statement writes. Present if it may violate a unique key or find no row to change; used to explain that error. */
	readonly target?: WriteTarget;
}

/** Values of one row, by field. */
export type RowValues = Readonly<Record<string, Binding>>;

/** Entities that a statement writes. */
export interface WriteTarget {
	readonly kind: EntityKind;
	/** Returns the rows to write. Called only after a unique key was violated, because most writes succeed. */
	readonly rows: () => readonly RowValues[];
	/** Id of the entity to change; absent for new entities. */
	readonly id?: string;
}

/** Result of a statement. */
export interface StatementResult {
	readonly rows: readonly (readonly Binding[])[];
	/** Number of changed rows; 0 if the statement returns rows. */
	readonly changes: number;
}

/**
 * Statements of one write, in rounds. A round may depend on the results of earlier rounds. The statements of a round run in order up to the
 * first that fails; its error is thrown into the generator as a `StepError`. After an error the generator may only read, to find the
 * reason, and must throw. With a generator, the same code can run synchronously on a database in the process, or await each round on a
 * server. If `dialect.locksRows` is true, the first round must contain all statements that write.
 */
export type WriteRounds<T> = Generator<readonly Step[], T, readonly StatementResult[]>;

/** Throws the error of a round into its generator. If the generator does not replace the `StepError`, throws the error of the driver. */
export function throwIntoRounds<T>(steps: WriteRounds<T>, error: unknown): ReturnType<WriteRounds<T>["throw"]> {
	try {
		return steps.throw(error);
	} catch (thrown) {
		throw thrown instanceof StepError ? thrown.cause : thrown;
	}
}

/** A write that takes effect completely or not at all. */
export interface Write<T> {
	/** Starts the write; each attempt needs a new generator. */
	readonly rounds: () => WriteRounds<T>;
	/** All steps of the write if it has no result. They may run as one script, and one by one only if the script fails. */
	readonly stepsWithoutResult?: readonly Step[];
	/** True if a statement that fails can leave effects of earlier statements of the write, which must then be rolled back. */
	readonly compound: boolean;
	/** True if the write changes relaxed kinds only, so that its commit need not wait for the disk. */
	readonly relaxed: boolean;
	/**
	 * True if the write may share a transaction with writes of other callers on a server that several nodes write to. Such a write is short
	 * and changes only entities that only one node changes at a time. Otherwise shared transactions would block each other.
	 */
	readonly shareable: boolean;
	/** Approximate rows and characters of data; they limit the size of a group of writes. */
	readonly rows: number;
	readonly size: number;
}

/** SQL that differs between databases. */
export interface Dialect {
	/** Condition that the column `??` has one of the values of the list `?`. */
	readonly inList: string;
	/**
	 * Rewrites a condition so that the database uses no index for it. Absent for a database that always finds rows by a given id. A planner
	 * that decides by statistics may prefer an index with few live entries, and scan all its dead ones, which vacuum cannot remove during a
	 * long snapshot.
	 */
	readonly withoutIndex?: (condition: string) => string;
	/** Condition that the column `??` contains the string `?`. */
	readonly contains: string;
	/** Encodes a list of values as one binding, in the form that `inList` expects. */
	toList(values: readonly Binding[]): string;
	/** SQL expression for the JSON array in `:column:` with the JSON value `:value` appended. */
	readonly append: string;
	/** Order by a nullable column, with a placeholder for its name. Null is first in ascending and last in descending order. */
	readonly order: { readonly asc: string; readonly desc: string };
	/** True if a select can lock rows and skip rows that other transactions have locked. */
	readonly locksRows: boolean;
	/** True if a count reads every row, so that counting up to a limit is cheaper than counting all rows. */
	readonly countsEveryRow?: boolean;
	/** Column types for inserting any number of rows from one list of values per column. Absent if one statement inserts one row. */
	readonly listTypes?: Readonly<Record<FieldType, string>>;
	/** Makes a statement fail if it changes no row. Needed if the next statements are sent before the number of changed rows is known. */
	failIfUnchanged(sql: string): string;
	/**
	 * Makes a select fail if it finds no row, and locks its rows against changes until the transaction ends. Needed if several nodes write.
	 */
	lockOrFail?(sql: string): string;
	/** Query for the time of the database server in microseconds since 1970. Absent if there is no server. */
	readonly timeQuery?: string;
}

/** An open database. */
export interface DatabaseClient {
	/** Builds statements but does not run them. */
	readonly knex: Knex;
	readonly dialect: Dialect;
	/** Storage of large texts outside of their rows. Undefined if all values are stored in their rows. */
	readonly largeTexts?: LargeTexts;
	read(step: Step): StatementResult | Promise<StatementResult>;
	/** Runs a write. Resolves once it is committed. */
	write<T>(write: Write<T>): Promise<T>;
	/**
	 * Frees a part of the space of removed rows. Returns true if there is more to free.
	 *
	 * @param kinds kinds of the removed rows; the client may delete kinds that are finished from the set
	 */
	compact(kinds: Set<EntityKind>): Promise<boolean>;
	/** Waits until all requested statements have finished, then closes the database. */
	stop(): Promise<void>;
}

/** Database that the options describe; not yet opened. */
export interface Database {
	readonly capabilities: StorageCapabilities;
	/** Throws `SVC_CONFIG` if the options are invalid, or need a package or file that is missing. Does not connect to a server. */
	check(context: PluginContext): Promise<void>;
	open(context: PluginContext): Promise<DatabaseClient>;
	/** Returns the names of the migrations that `open` would run. */
	plan(context: PluginContext): Promise<readonly string[]>;
	/** Opens the database for reading. The caller must make sure that no migration is pending. */
	openReadOnly(context: PluginContext): Promise<DatabaseClient>;
	/** Returns true if a service has locked the database. Absent if several services may share the database. */
	isInUse?(context: PluginContext): Promise<boolean>;
	/** Implements `Storage.backup`. */
	backup(context: PluginContext, file: string): Promise<void>;
	/** Implements `Storage.restore`. */
	restore(context: PluginContext, file: string): Promise<string | undefined>;
	/** Returns the file or the address of the database, without a password. */
	location(context: PluginContext): string;
}

/** Thrown if another row already has the id or the values of a unique key. */
export class KeyTakenError extends Error {
	override readonly name = "KeyTakenError";
}

/** Thrown if a statement with the result `change` has changed no row. */
export class NothingChangedError extends Error {
	override readonly name = "NothingChangedError";
}

/** Error of a step of a round; `cause` is the original error. */
export class StepError extends Error {
	override readonly name = "StepError";
	readonly step: Step;

	constructor(step: Step, cause: unknown) {
		super("a step has failed", { cause });
		this.step = step;
	}
}
