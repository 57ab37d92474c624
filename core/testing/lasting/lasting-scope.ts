import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Runner, RunResult } from "../../contract/index.ts";
import { createRunContext, type ReadOutput, type RunContextOptions, type TestRunContext } from "../run-context.ts";
import { toExpectation } from "../runner/printed.ts";
import { within } from "../within.ts";
import type { LastingCases, LastingEngine } from "./lasting-engine.ts";
import { MortalRun } from "./mortal-run.ts";

export interface ScopeOptions {
	readonly engine: LastingEngine;
	readonly cases: LastingCases;
	/** Starts a runner as a service has it that was started anew on the same data. */
	readonly start: () => Promise<Runner>;
	readonly readOutput: ReadOutput | undefined;
	/** Milliseconds within which what must happen has happened. */
	readonly patience: number;
	/** Milliseconds for which is looked whether something happens that must not. */
	readonly calm: number;
}

/** A run whose service can be killed. */
export interface Going extends Pick<MortalRun, "context" | "kill" | "death"> {
	/** Undefined: it was not found. Of a run whose service is killed it mostly never settles. */
	readonly end: Promise<RunResult | undefined>;
	readonly runner: Runner;
}

/** Registers the test of one promise. */
export type LastingCheck = (statement: string, run: (scope: LastingScope) => Promise<void>) => void;

/** What a statement has at hand: the service that runs now, and what became of its runs. */
export class LastingScope {
	readonly engine: LastingEngine;
	readonly cases: LastingCases;
	readonly #parts: ScopeOptions;
	readonly #acceptedBefore: number;
	readonly #runs: { readonly mortal: MortalRun; readonly end: Promise<unknown> }[] = [];
	#runner: Runner;

	constructor(parts: ScopeOptions, { runner, accepted }: { readonly runner: Runner; readonly accepted: number }) {
		this.#parts = parts;
		this.#runner = runner;
		this.#acceptedBefore = accepted;
		this.engine = parts.engine;
		this.cases = parts.cases;
	}

	/** @param dieAt moment at which its service dies (`MortalRun`) */
	begin(given: RunContextOptions, dieAt?: number): Going {
		return this.#follow(this.#createContext(given), (runner, context) => runner.run(context), dieAt);
	}

	/** Go on with a run of before. */
	async recover(before: TestRunContext, given: RunContextOptions, { isCanceled = false } = {}): Promise<Going> {
		const state = before.savedState();
		assert.ok(state !== undefined, "no state was saved: nobody would look for the run");
		const context = this.#createContext({ ...given, after: before });
		await context.saveState(state);
		if (isCanceled) context.abort("cancel");
		return this.#follow(context, async (runner, run) => runner.recover?.(run, structuredClone(state)));
	}

	/** The service is killed, with all of its runs, and comes back. */
	async restart(): Promise<void> {
		for (const { mortal } of this.#runs) mortal.kill();
		this.#runner = await this.#parts.start();
	}

	/** The end of a run, which must come in time. */
	async endOf({ end }: Going, late = "the run goes on"): Promise<RunResult> {
		const result = await within(this.#parts.patience, end, late);
		assert.ok(result !== undefined, "the run was not found again");
		return result;
	}

	/** Wait until the run has printed so much, which it must do before it ends. */
	async printed({ context, end }: Going, text: string): Promise<void> {
		const missing = `the run had not printed ${JSON.stringify(text)} on stdout`;
		const toState = () => toExpectation(text, context.text("stdout"));
		const tooSoon = end.then((result) => assert.fail(`${missing} when it ended with ${JSON.stringify(result)}; ${toState()}`));
		tooSoon.catch(() => {});
		await within(this.#parts.patience, Promise.race([context.waitFor("stdout", text), tooSoon]), missing, toState);
	}

	/** Jobs that the engine has accepted since the statement began. */
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

	/** Fails when the run ends in this time, whichever way. */
	async goesOn({ end }: Going, otherwise: string): Promise<void> {
		const ended = end.then(
			(result) => `it ended with ${JSON.stringify(result)}`,
			(error: unknown) => `it failed with ${String(error)}`,
		);
		const outcome = await Promise.race([ended, this.calm()]);
		assert.equal(outcome, undefined, `${otherwise}: ${outcome}`);
	}

	/** Long enough for what must not happen. */
	async calm(): Promise<undefined> {
		await delay(this.#parts.calm);
	}

	/** Once its end is stored, as the host says it to the runner, no job is left. */
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

	/** What stands still goes on to its end, so that runners can be stopped. */
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
		const mortal = new MortalRun(of, dieAt);
		const runner = this.#runner;
		const end = work(runner, mortal.context);
		// Each statement looks at the ends that it is about.
		end.catch(() => {});
		this.#runs.push({ mortal, end });
		return { context: mortal.context, death: mortal.death, kill: () => mortal.kill(), end, runner };
	}
}
