import type { RunContextOptions } from "../run-context.ts";

/**
 * Engine on which jobs of a runner continue without the service: a container engine, a cluster or another machine. The kit controls and
 * inspects it directly, without the runner. One engine may serve all tests; each test begins and ends without jobs.
 */
export interface ExternalJobEngine {
	/** Returns the ids or names of all existing jobs that runners have created, including waiting and finished jobs. */
	jobs(): Promise<readonly string[]>;
	/** Returns the number of jobs accepted so far, including removed ones. The count may start at any number. */
	accepted(): Promise<number>;
	/** Ends and removes a job without the service, as an administrator of the engine might. Does nothing if the job does not exist. */
	takeAway(job: string): Promise<void>;
	/**
	 * Blocks all requests of runners until `restore` and closes open connections. Jobs continue, and the kit can still reach the engine.
	 */
	cutOff(): Promise<void>;
	/** Undoes `cutOff`. Also called if nothing was blocked or held. */
	restore(): Promise<void>;
	/** Makes the engine accept the next submitted job but drop the connection before it responds. If omitted, this is not tested. */
	loseNextAnswer?(): Promise<void>;
	/** Makes the engine accept jobs without starting them, until `release`. Omitted by engines whose jobs never wait. */
	hold?(): Promise<void>;
	release?(): Promise<void>;
}

/** Context options that make the runner start jobs with the described behavior. */
export interface ExternalJobCases {
	/** Prints `line 1` to `line <count>` on stdout, with about 50 ms after each, and succeeds. */
	readonly prints: (count: number) => RunContextOptions;
	/** Prints `ready` and a newline, then runs until it is ended. */
	readonly blocks: RunContextOptions;
	/** Prints `line 1` and exits with a failure. */
	readonly fails: RunContextOptions;
}
