import type { Knex } from "knex";
import type { EntityKind, FieldType, PluginContext, StorageCapabilities } from "../../core/contract/index.ts";
import type { LargeTexts } from "./large-texts.ts";
import type { Binding } from "./values.ts";

/**
 * Text of a statement and what it answers: one row, many rows, or how many rows it changed. `change` is refused when it
 * changes none.
 */
export interface Statement {
	readonly sql: string;
	readonly answer: "row" | "rows" | "changes" | "change";
}

export interface Step {
	readonly statement: Statement;
	readonly bindings: readonly Binding[];
	/** What it writes, where it may meet a taken key or find nothing to change. */
	readonly writing?: Writing;
}

export type Values = Readonly<Record<string, Binding>>;

export interface Writing {
	readonly kind: EntityKind;
	/** The rows being written, by field. Asked for only when a key is taken, as most writes meet none. */
	readonly rows: () => readonly Values[];
	/** Id of the entity being changed; absent for new ones. */
	readonly id?: string;
}

export interface Answer {
	readonly rows: readonly (readonly Binding[])[];
	/** Rows changed; 0 where rows are answered. */
	readonly changes: number;
}

/**
 * The statements of one write in rounds, each round decided from the answers to those before. A round runs in order up to the
 * first statement that fails, which is thrown into the generator as a `StepError`; from there on it only reads, to say why, and
 * throws. A generator, so that the same text runs at one go where the database is in the process, and awaits each round where
 * it is not. Where `dialect.locksRows`, all that is written is in the first round.
 */
export type Steps<T> = Generator<readonly Step[], T, readonly Answer[]>;

/** Tell a generator that its round has failed; what it does not explain is thrown as the driver threw it. */
export function throwInto<T>(steps: Steps<T>, error: unknown): ReturnType<Steps<T>["throw"]> {
	try {
		return steps.throw(error);
	} catch (thrown) {
		throw thrown instanceof StepError ? thrown.cause : thrown;
	}
}

/** A write that happens whole or not at all. */
export interface Write<T> {
	readonly steps: () => Steps<T>;
	/** All its steps, of a write that answers nothing: they may also be run together, and one by one only where that fails. */
	readonly silent?: readonly Step[];
	/** Whether a failure can leave earlier statements of the same write behind, to be taken back. */
	readonly compound: boolean;
	/** Whether it touches relaxed kinds only. */
	readonly relaxed: boolean;
	/**
	 * Whether it may share a transaction with writes of other callers on a server that several nodes write to: it is short, and
	 * touches what one node at a time works on, so that transactions of many writes do not lock each other out.
	 */
	readonly shareable: boolean;
	/** Rows and characters of data, roughly, for cutting groups. */
	readonly rows: number;
	readonly size: number;
}

/** SQL that databases write differently. */
export interface Dialect {
	/** A condition with places for a column and a list of values. */
	readonly inList: string;
	/**
	 * A condition for which no index is looked into. Absent where the id is used whenever it is given: a database that chooses by figures may
	 * think an index of few entries as good, and has then to pass over all that were there while somebody's snapshot keeps them.
	 */
	readonly aside?: (condition: string) => string;
	/** Condition that the text in column `??` contains the text `?`. */
	readonly contains: string;
	/** The list of values as `inList` wants it. */
	toList(values: readonly Binding[]): string;
	/** The new value of a JSON array column: `:column:`, and `:value` for the JSON of the value to put at its end. */
	readonly append: string;
	/** Order by a column that may be null, with a place for it: null first ascending, last descending. */
	readonly order: { readonly asc: string; readonly desc: string };
	/** Whether rows can be locked while they are chosen, past those that others have locked. */
	readonly locksRows: boolean;
	/** Whether all rows are counted by a look at each, so that it is dearer than to count some up to a limit. */
	readonly countsEach?: boolean;
	/** Types by which a list of each column's values becomes rows, where one statement can insert any number of them. */
	readonly listTypes?: Readonly<Record<FieldType, string>>;
	/** Makes a statement that changes rows fail when it changes none, where the driver cannot tell in time. */
	toChange(sql: string): string;
	/** The same for one that finds rows and keeps them as they are until the transaction ends, where several nodes write. */
	toKept?(sql: string): string;
	/** Answers the time in microseconds since 1970, where the database has a clock of its own. */
	readonly now?: string;
}

/** A started database. */
export interface DatabaseClient {
	/** Builds statements; runs none of them. */
	readonly knex: Knex;
	readonly dialect: Dialect;
	/** Where it keeps large texts outside of their rows, if it does. */
	readonly largeTexts?: LargeTexts;
	read(step: Step): Answer | Promise<Answer>;
	/** Resolves once the write is committed. */
	write<T>(write: Write<T>): Promise<T>;
	/** Gives room of removed rows back, a little at a time: whether there is more. `kinds` are those that rows were removed of. */
	compact(kinds: Set<EntityKind>): Promise<boolean>;
	/** Finishes what was asked for, then closes. */
	stop(): Promise<void>;
}

/** A database as the options name it; nothing is opened yet. */
export interface Database {
	readonly capabilities: StorageCapabilities;
	/** `SVC_CONFIG` for wrong options, and for what they need and is not there. Asks no server. */
	check(context: PluginContext): Promise<void>;
	open(context: PluginContext): Promise<DatabaseClient>;
	/** Names of the migrations that opening would run. */
	plan(context: PluginContext): Promise<readonly string[]>;
	/** For reading, and only where no migration is to be run. */
	openReadOnly(context: PluginContext): Promise<DatabaseClient>;
	/** Whether a service works on it that no other may join, where there is such a thing. */
	isInUse?(context: PluginContext): Promise<boolean>;
	/** As of the storage. */
	backup(context: PluginContext, file: string): Promise<void>;
	restore(context: PluginContext, file: string): Promise<string | undefined>;
	/** Where it is, without a password. */
	place(context: PluginContext): string;
}

/** An id or unique key is taken. */
export class KeyTakenError extends Error {
	override readonly name = "KeyTakenError";
}

/** A statement that must change a row has changed none. */
export class NothingChangedError extends Error {
	override readonly name = "NothingChangedError";
}

/** The step at which a round has failed; `cause` says how. */
export class StepError extends Error {
	override readonly name = "StepError";
	readonly step: Step;

	constructor(step: Step, cause: unknown) {
		super("a step has failed", { cause });
		this.step = step;
	}
}
