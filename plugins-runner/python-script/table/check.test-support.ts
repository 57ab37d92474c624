import type { PythonPack, StartedRunner } from "../python-pack.test-support.ts";

export interface Scope {
	readonly pack: PythonPack;
	readonly runner: StartedRunner;
}

/** Registers one row of the table. */
export type Check = (statement: string, run: (scope: Scope) => Promise<void>) => void;
