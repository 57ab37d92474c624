import type { PythonPack, StartedRunner } from "../python-pack.test-support.ts";

export interface Scope {
	readonly pack: PythonPack;
	readonly runner: StartedRunner;
}

/** Registers one row of the table. */
export type Check = (statement: string, run: (scope: Scope) => Promise<void>) => void;

/**
 * Registers the rows of the table for one engine. A start of Pyodide takes 1.7 s of the processor, one of CPython 0.1 s: Pyodide gets the rows
 * that depend on the engine. The other rows only run Python code that both engines share, which CPython tests.
 */
export interface Checks {
	/** Registers a row for both engines. */
	readonly check: Check;
	/** Registers a row for CPython alone. */
	readonly checkShared: Check;
	/** True if a row of its own is not worth a start for a value: one action returns all of them. */
	readonly sharesStarts: boolean;
}
