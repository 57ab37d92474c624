import * as assert from "node:assert/strict";
import type { JsonObject, Runner, RunResult, TriggerReference } from "../../contract/index.ts";
import type { RunContextOptions, TestRunContext } from "../run-context.ts";
import { within } from "../within.ts";
import { toExpectation } from "./printed.ts";

/** What the suite needs the runner to do, as the context options that make it do so. The tests of a case left out are left out too. */
export interface RunnerCases {
	/** Left out by a runner whose runs never end as succeeded, such as one that asks a person. */
	readonly succeeds?: RunContextOptions;
	/** The action fails; the runner is not at fault. */
	readonly fails?: RunContextOptions;
	/** The runner cannot do its work. */
	readonly throws?: RunContextOptions;
	/** Prints `line 1` to `line <count>` on stdout, a newline after each, and succeeds. */
	readonly prints?: (count: number) => RunContextOptions;
	/** Prints `ready` and a newline on stdout, then goes on until it is ended. */
	readonly blocks?: RunContextOptions;
	/** Prints the bytes `a`, 0xFF, `b` and a newline on stdout, and succeeds. */
	readonly printsInvalid?: RunContextOptions;
	/** Prints the two bytes of `é` with a moment between them, then a newline, and succeeds. */
	readonly printsSplit?: RunContextOptions;
	/** Prints `ready` and a newline, closes its stdout, goes on for a moment and fails. */
	readonly closesOutput?: RunContextOptions;
	/** As `blocks`, on this machine, and takes no notice of TERM. */
	readonly ignoresTerm?: RunContextOptions;
	/**
	 * As `blocks`, on this machine, with a process of its own that has left it (a double fork, a session of its own). The command
	 * lines of both hold `mark`. The host's environment is given.
	 */
	readonly doubleForks?: (mark: string) => RunContextOptions;
	/** On this machine: gets `secret` as the value of a secret parameter, prints `ready` and goes on until it is ended. */
	readonly hidesSecret?: (secret: string) => RunContextOptions;
	/** For runners with `recovery`: prints lines as `prints` does, and takes some seconds for it. */
	readonly lasts?: (count: number) => RunContextOptions;
	/** Starts some children, the same ones each time, waits for them, and succeeds when they have. */
	readonly startsChildren?: RunContextOptions;
	/** Announces and dispatches what stands here, and succeeds. */
	readonly announces?: {
		readonly given: RunContextOptions;
		readonly announcements?: readonly { readonly route: string; readonly payload: JsonObject }[];
		readonly dispatched?: readonly { readonly trigger: TriggerReference; readonly payload: JsonObject }[];
	};
}

export interface Scope<C> {
	readonly runner: Runner;
	/** Context options of the case the test is about. */
	readonly given: C;
	readonly grace: number;
	/** Returns the outcome of `work`, which waits for the end of runs. Fails if that takes longer than the patience. */
	inTime<T>(work: Promise<T>): Promise<T>;
	/** Start a run and wait until it has printed `text`. Fails when it ends before that, or takes too long. */
	startUntil(run: TestRunContext, text: string): Promise<StartedRun>;
	context(options: RunContextOptions): TestRunContext;
	/** What a restarted service has: the runner, stopped and started anew on the same data. */
	restart(): Promise<Runner>;
}

/** A run that goes on. */
export interface StartedRun {
	readonly end: Promise<RunResult>;
}

/** Registers the test of one promise, if its case is there. */
export type Check = <K extends keyof RunnerCases>(
	kind: K,
	statement: string,
	run: (scope: Scope<NonNullable<RunnerCases[K]>>) => Promise<void>,
) => void;

export function assertJsonObject({ result }: RunResult): void {
	assert.deepEqual(JSON.parse(JSON.stringify(result)), result);
	assert.ok(typeof result === "object" && result !== null && !Array.isArray(result), "the result is not a JSON object");
}

/** @param patience milliseconds that it may take to print `text` */
export async function startUntil(runner: Runner, run: TestRunContext, text: string, patience: number): Promise<StartedRun> {
	const end = runner.run(run);
	const missing = `the run had not printed ${JSON.stringify(text)} on stdout`;
	const state = () => `; ${toExpectation(text, run.text("stdout"))}`;
	const tooSoon = end.then(
		(result) => assert.fail(`${missing} when it ended with ${JSON.stringify(result)}${state()}`),
		(error: unknown) => assert.fail(`${missing} when it failed with ${String(error)}${state()}`),
	);
	// Of interest only until the text is there.
	tooSoon.catch(() => {});
	await within(patience, Promise.race([run.waitFor("stdout", text), tooSoon]), missing, () => toExpectation(text, run.text("stdout")));
	return { end };
}

/** @param patience milliseconds within which the runs of the case must end */
export function inTime<T>(work: Promise<T>, kind: string, patience: number): Promise<T> {
	const hint = "resolve once the work is done; if the runner needs longer than this, set `patience`";
	return within(patience, work, `the run of the case "${kind}" had not ended`, hint);
}
