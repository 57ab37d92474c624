import type { PythonPack, StartedRunner } from "../python-pack.test-support.ts";

export interface Scope {
	readonly pack: PythonPack;
	readonly runner: StartedRunner;
}

/**
 * Registers one row of the table, which CPython runs. `pyodide-table.test.ts` has what depends on the engine, in three actions: a start of
 * Pyodide takes 1.8 s of the processor, one of CPython 0.1 s.
 */
export type Check = (statement: string, run: (scope: Scope) => Promise<void>) => void;
