import type { RunContextOptions } from "../run-context.ts";

/**
 * Where the jobs of a runner go on without the service: a container engine, a cluster, another machine. What the kit does to it and
 * asks of it, past the runner. One engine may serve all statements; each begins and ends with no job.
 */
export interface LastingEngine {
	/** Ids or names of the jobs that runners have made and that are still there, also those that have ended or wait. */
	jobs(): Promise<readonly string[]>;
	/** How many jobs it has accepted so far, those that are gone included. It may begin with any number. */
	accepted(): Promise<number>;
	/** End a job and remove it, as somebody does who knows nothing of the service. No error where it is gone. */
	takeAway(job: string): Promise<void>;
	/** Until `restore` nothing that runners ask reaches it, and connections that stand are cut. Jobs go on. The kit still reaches it. */
	cutOff(): Promise<void>;
	/** As before; also called where nothing was cut off or held. */
	restore(): Promise<void>;
	/** The next job that is submitted is accepted, and whoever submits it hears nothing but that the connection is lost. Left out: not tested. */
	loseNextAnswer?(): Promise<void>;
	/** From now on it accepts jobs and begins none, until `release`. Left out by engines whose jobs never wait. */
	hold?(): Promise<void>;
	release?(): Promise<void>;
}

/** What the kit needs jobs to do, as the context options that make the runner start such a one. */
export interface LastingCases {
	/** Prints `line 1` to `line <count>` on stdout, with about 50 ms after each, and succeeds. */
	readonly prints: (count: number) => RunContextOptions;
	/** Prints `ready` and a newline, then goes on until it is ended. */
	readonly blocks: RunContextOptions;
	/** Prints `line 1` and fails by itself. */
	readonly fails: RunContextOptions;
}
