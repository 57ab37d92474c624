import * as assert from "node:assert/strict";
import type { JsonObject, Runner, RunResult, TriggerReference } from "../../contract/index.ts";
import type { RunContextOptions, TestRunContext } from "../run-context.ts";
import { within } from "../within.ts";
import { toExpectation } from "./printed-output.ts";

/** Context options that make the runner show the described behavior. If a case is omitted, its tests are omitted. */
export interface RunnerCases {
	/** Context of a run that succeeds. Omitted by a runner whose runs never succeed, such as one that waits for the answer of a user. */
	readonly succeeds?: RunContextOptions;
	/** Context of a run whose action fails although the runner works: `run` resolves with `succeeded: false`. */
	readonly fails?: RunContextOptions;
	/** Context of a run in which the runner cannot do its work: `run` rejects. */
	readonly throws?: RunContextOptions;
	/** Prints `line 1` to `line <count>` on stdout, a newline after each, and succeeds. */
	readonly prints?: (count: number) => RunContextOptions;
	/** Prints `ready` and a newline on stdout, then runs until it is ended. */
	readonly blocks?: RunContextOptions;
	/** Prints the bytes `a`, 0xFF, `b` and a newline on stdout, and succeeds. */
	readonly printsInvalid?: RunContextOptions;
	/** Prints the two bytes of `é` with a short pause between them, then a newline, and succeeds. */
	readonly printsSplit?: RunContextOptions;
	/** Prints `ready` and a newline, closes its stdout, continues briefly and fails. */
	readonly closesOutput?: RunContextOptions;
	/** Behaves like `blocks`, on this machine, but ignores SIGTERM. */
	readonly ignoresTerm?: RunContextOptions;
	/**
	 * Behaves like `blocks`, on this machine, and starts a detached process (double fork, own session). The command lines of both processes
	 * contain `mark`. The host supplies the environment.
	 */
	readonly doubleForks?: (mark: string) => RunContextOptions;
	/** Runs on this machine: gets `secret` as the value of a secret parameter, prints `ready` and runs until it is ended. */
	readonly hidesSecret?: (secret: string) => RunContextOptions;
	/** For runners with `recovery`: prints the same lines as `prints`, over several seconds. */
	readonly lasts?: (count: number) => RunContextOptions;
	/** Starts some children, the same ones each time, waits for them, and succeeds when they have succeeded. */
	readonly startsChildren?: RunContextOptions;
	/** Announces and dispatches the given payloads, and succeeds. */
	readonly announces?: {
		readonly given: RunContextOptions;
		readonly announcements?: readonly { readonly route: string; readonly payload: JsonObject }[];
		readonly dispatched?: readonly { readonly trigger: TriggerReference; readonly payload: JsonObject }[];
	};
}

export interface Scope<C> {
	readonly runner: Runner;
	/** Context options of the tested case. */
	readonly given: C;
	readonly grace: number;
	/** Returns the result of `work`, which waits for runs to end. Fails if that takes longer than the patience. */
	inTime<T>(work: Promise<T>): Promise<T>;
	/** Starts a run and waits until it has printed `text`. Fails if the run ends first or takes too long. */
	startUntil(run: TestRunContext, text: string): Promise<StartedRun>;
	context(options: RunContextOptions): TestRunContext;
	/** Stops the runner and starts it again on the same data, as a restart of the service does. */
	restart(): Promise<Runner>;
}

/** A run in progress. */
export interface StartedRun {
	readonly end: Promise<RunResult>;
}

/** Registers the test of one promise if its case is given. */
export type Check = <K extends keyof RunnerCases>(
	kind: K,
	statement: string,
	run: (scope: Scope<NonNullable<RunnerCases[K]>>) => Promise<void>,
) => void;

export function assertJsonObject({ result }: RunResult): void {
	assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
	assert.ok(typeof result === "object" && result !== null && !Array.isArray(result), "the result is not a JSON object");
}

/**
 * Starts a run and waits until it has printed `text`.
 *
 * @param patience maximum milliseconds until `text` is printed
 */
export async function startUntil(runner: Runner, run: TestRunContext, text: string, patience: number): Promise<StartedRun> {
	const end = runner.run(run);
	const missing = `the run had not printed ${JSON.stringify(text)} on stdout`;
	const state = () => `; ${toExpectation(text, run.text("stdout"))}`;
	const tooSoon = end.then(
		(result) => assert.fail(`${missing} when it ended with ${JSON.stringify(result)}${state()}`),
		(error: unknown) => assert.fail(`${missing} when it failed with ${String(error)}${state()}`),
	);
	// The early end matters only until `text` is printed; later it must not become an unhandled rejection.
	tooSoon.catch(() => {});
	await within(patience, Promise.race([run.waitFor("stdout", text), tooSoon]), missing, () => toExpectation(text, run.text("stdout")));
	return { end };
}

/**
 * Returns the result of `work`. Fails if it takes longer than the patience.
 *
 * @param patience milliseconds within which the runs of the case must end
 */
export function inTime<T>(work: Promise<T>, kind: string, patience: number): Promise<T> {
	const hint = "resolve once the work is done; if the runner needs longer than this, set `patience`";
	return within(patience, work, `the run of the case "${kind}" had not ended`, hint);
}
