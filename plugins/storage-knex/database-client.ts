import type { Knex } from "knex";
import type { Binding } from "./values.ts";

/** Text of a statement and what it answers: one row, many rows, or how many rows it changed. */
export interface Statement {
	readonly sql: string;
	readonly answer: "row" | "rows" | "changes";
}

export interface Step {
	readonly statement: Statement;
	readonly bindings: readonly Binding[];
}

export interface Answer {
	readonly rows: readonly (readonly Binding[])[];
	/** Rows changed; 0 where rows are answered. */
	readonly changes: number;
}

/**
 * The statements of one write, each decided from the answers to those before. A generator, so that the same text runs at one
 * go where the database is in the process, and awaits each answer where it is not.
 */
export type Steps<T> = Generator<Step, T, Answer>;

/** A write that happens whole or not at all. */
export interface Write<T> {
	readonly steps: () => Steps<T>;
	/** Whether a failure can leave earlier statements of the same write behind, to be taken back. */
	readonly compound: boolean;
	/** Whether it touches relaxed kinds only. */
	readonly relaxed: boolean;
	/** Rows and characters of data, roughly, for cutting groups. */
	readonly rows: number;
	readonly size: number;
}

/** SQL that databases write differently. */
export interface Dialect {
	/** A condition with places for a column and a JSON list of values. */
	readonly inList: string;
	/** The new value of a JSON array column, with places for the column and the JSON of the value to put at its end. */
	readonly append: string;
}

/** A started database. */
export interface DatabaseClient {
	/** Builds statements; runs none of them. */
	readonly knex: Knex;
	readonly dialect: Dialect;
	read(step: Step): Answer | Promise<Answer>;
	/** Resolves once the write is committed. A taken key throws `KeyTakenError` into the steps. */
	write<T>(write: Write<T>): Promise<T>;
	/** Finishes what was asked for, then closes. */
	stop(): Promise<void>;
}

/** An id or unique key is taken. */
export class KeyTakenError extends Error {
	override readonly name = "KeyTakenError";
}
