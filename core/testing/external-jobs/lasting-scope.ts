import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Runner, RunResult } from "../../contract/index.ts";
import { createRunContext, type ReadOutput, type RunContextOptions, type TestRunContext } from "../run-context.ts";
import { toExpectation } from "../runner/printed-output.ts";
import { within } from "../within.ts";
import { KillableRun } from "./killable-run.ts";
import type { ExternalJobCases, ExternalJobEngine } from "./lasting-engine.ts";

export interface ScopeOptions {
	readonly engine: ExternalJobEngine;
	readonly cases: ExternalJobCases;
	/** Starts a runner as a restarted service would, on the same data. */
	readonly start: () => Promise<Runner>;
	readonly readOutput: ReadOutput | undefined;
	/** Milliseconds within which an expected event must happen. */
	readonly patience: number;
	/** Milliseconds for which a test watches for a forbidden event. */
	readonly calm: number;
}

/** A run whose service can be killed. */
export interface Going extends Pick<KillableRun, "context" | "kill" | "death"> {
	/** Result of the run; undefined if `recover` has not found the run. Usually never settles after the service of the run was killed. */
	readonly end: Promise<RunResult | undefined>;
	readonly runner: Runner;
}

/** Registers the test of one promise. */
export type LastingCheck = (statement: string, run: (scope: LastingScope) => Promise<void>) => void;

/** Environment of a test: the current service and all runs that the test has started. */
export class LastingScope {
	readonly engine: ExternalJobEngine;
	readonly cases: ExternalJobCases;
	readonly #parts: ScopeOptions;
	readonly #acceptedBefore: number;
	readonly #runs: { readonly mortal: KillableRun; readonly end: Promise<unknown> }[] = [];
	#runner: Runner;

	constructor(parts: ScopeOptions, { runner, accepted }: { readonly runner: Runner; readonly accepted: number }) {
		this.#parts = parts;
		this.#runner = runner;
		this.#acceptedBefore = accepted;
		this.engine = parts.engine;
		this.cases = parts.cases;
	}

	/**
	 * Starts a run.
	 *
	 * @param dieAt moment at which its service is killed (`KillableRun`)
	 */
	begin(given: RunContextOptions, dieAt?: number): Going {
		return this.#follow(this.#createContext(given), (runner, context) => runner.run(context), dieAt);
	}

	/** Recovers an earlier run from its saved state. */
	async recover(before: TestRunContext, given: RunContextOptions, { isCanceled = false } = {}): Promise<Going> {
		const state = before.savedState();
		assert.ok(state !== undefined, "no state was saved, so the run cannot be recovered");
		const context = this.#createContext({ ...given, after: before });
		await context.saveState(state);
		if (isCanceled) context.abort("cancel");
		return this.#follow(context, async (runner, run) => runner.recover?.(run, structuredClone(state)));
	}

	/** Kills the service with all of its runs and starts it again. */
	async restart(): Promise<void> {
		for (const { mortal } of this.#runs) mortal.kill();
		this.#runner = await this.#parts.start();
	}

	/** Returns the result of a run. Fails if `recover` has not found the run, or if the run does not end in time. */
	async endOf({ end }: Going, late = "the run continues"): Promise<RunResult> {
		const result = await within(this.#parts.patience, end, late);
		assert.ok(result !== undefined, "the run was not recovered");
		return result;
	}

	/** Waits until the run has printed the text. Fails if the run ends first or takes too long. */
	async printed({ context, end }: Going, text: string): Promise<void> {
		const missing = `the run had not printed ${JSON.stringify(text)} on stdout`;
		const toState = () => toExpectation(text, context.text("stdout"));
		const tooSoon = end.then((result) => assert.fail(`${missing} when it ended with ${JSON.stringify(result)}; ${toState()}`));
		tooSoon.catch(() => {});
		await within(this.#parts.patience, Promise.race([context.waitFor("stdout", text), tooSoon]), missing, toState);
	}

	/** Returns the number of jobs that the engine has accepted since the test began. */
	async accepted(): Promise<number> {
		return (await this.engine.accepted()) - this.#acceptedBefore;
	}

	async until(isSo: () => Promise<boolean>, missing: string): Promise<void> {
		const deadline = performance.now() + this.#parts.patience;
		while (!(await isSo())) {
			assert.ok(performance.now() < deadline, `${missing} after ${this.#parts.patience} ms`);
			await delay(100);
		}
	}

	/** Fails if the run ends or rejects within the calm period. */
	async willContinue({ end }: Going, otherwise: string): Promise<void> {
		const ended = end.then(
			(result) => `it ended with ${JSON.stringify(result)}`,
			(error: unknown) => `it failed with ${String(error)}`,
		);
		const outcome = await Promise.race([ended, this.calm()]);
		assert.equal(outcome, undefined, `${otherwise}: ${outcome}`);
	}

	/** Waits for the calm period, within which a forbidden event would occur. */
	async calm(): Promise<undefined> {
		await delay(this.#parts.calm);
	}

	/** Reports to the runner that the result is stored, as the host does, and asserts that no job remains. */
	async assertNothingLeft({ runner, context }: Going): Promise<void> {
		await runner.afterRun?.(context);
		await this.assertNoJob();
	}

	async assertNoJob(): Promise<void> {
		let jobs: readonly string[] = [];
		const isEmpty = async () => {
			jobs = await this.engine.jobs();
			return jobs.length === 0;
		};
		await this.until(isEmpty, "a job is left").catch((error: Error) => assert.fail(`${error.message}: ${jobs.join(", ")}`));
	}

	/** Lets suspended runs continue to their end, so that runners can be stopped. */
	async bury(): Promise<void> {
		for (const { mortal } of this.#runs) mortal.bury();
		const ends = Promise.allSettled(this.#runs.map(({ end }) => end));
		await Promise.race([ends, delay(1_000, undefined, { ref: false })]);
	}

	#createContext(given: RunContextOptions): TestRunContext {
		const { readOutput } = this.#parts;
		return createRunContext(this.#runner, { ...(readOutput === undefined ? {} : { readOutput }), ...given });
	}

	#follow(of: TestRunContext, work: (runner: Runner, context: TestRunContext) => Promise<RunResult | undefined>, dieAt?: number): Going {
		const mortal = new KillableRun(of, dieAt);
		const runner = this.#runner;
		const end = work(runner, mortal.context);
		// Each test awaits the results that it needs, so the others must not become unhandled rejections.
		end.catch(() => {});
		this.#runs.push({ mortal, end });
		return { context: mortal.context, death: mortal.death, kill: () => mortal.kill(), end, runner };
	}
}
