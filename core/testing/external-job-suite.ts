import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OptionsInput, Runner, RunnerPlugin } from "../contract/index.ts";
import { checkOutages } from "./external-jobs/engine-outages.ts";
import { checkEnds } from "./external-jobs/job-completion.ts";
import type { ExternalJobCases, ExternalJobEngine } from "./external-jobs/lasting-engine.ts";
import { LastingScope } from "./external-jobs/lasting-scope.ts";
import { checkWaiting } from "./external-jobs/queued-jobs.ts";
import { checkDeaths } from "./external-jobs/service-crashes.ts";
import { type ReadOutput, silentLogger } from "./run-context.ts";
import { testNode } from "./runner/started-runner.ts";
import { createOptions } from "./service-options.ts";
import { guardTests } from "./test-guard.ts";
import { within } from "./within.ts";

export type { ExternalJobCases, ExternalJobEngine } from "./external-jobs/lasting-engine.ts";

/** Options of the conformance suite for runners whose jobs outlive the service. */
export interface LastingRunnerSuiteOptions {
	/** Registers one test. Accepts the `test` function of uvu or of node:test. */
	readonly test: (name: string, run: () => Promise<void>) => void;
	/** Prefix of every test name. */
	readonly name: string;
	/** Creates the plugin. Called for each start of a service. A test starts several services in sequence on one data directory. */
	readonly create: () => RunnerPlugin;
	/** Engine that runs the jobs. It may be created before the real engine is started; the suite first uses it when a test runs. */
	readonly engine: ExternalJobEngine;
	readonly cases: ExternalJobCases;
	/** Service options that differ from the defaults. */
	readonly options?: OptionsInput;
	/** Returns the stdout text of all emitted chunks, for a runner with its own output format. Default: stdout as emitted. */
	readonly readOutput?: ReadOutput;
	/** Milliseconds within which an expected event must happen, such as the start, output or end of a job. Default 30000. */
	readonly patience?: number;
	/** Milliseconds for which the suite watches for a forbidden event, such as a second job. Default 1000. */
	readonly calm?: number;
}

/**
 * Registers the conformance suite of runners whose jobs continue without the service, on their own engine: containers, clusters, other
 * machines. Use it in addition to `testRunner`, which checks the promises of all runners. One test for each promise:
 *
 * - A service may be killed at any moment, even between the submission of a job and the next `saveState` or `emit`. The job is found again,
 *   and its output is recorded once.
 * - A cancel leaves no job.
 * - If a job is removed from the engine, its run fails within 30 seconds with the reason.
 * - A waiting job is not given up.
 * - The first result is final.
 * - An engine that cannot be reached never gets a second job.
 *
 * The suite simulates a kill by suspending the run. State and output that the run produces later are not stored, and another runner is
 * started to `recover` the run. Requests that the old runner still sends to its engine must do no harm, as on a node that has lost its
 * lease.
 */
export function testExternalJobRunner(suite: LastingRunnerSuiteOptions): void {
	const { name, engine, patience = 30_000 } = suite;
	const test = guardTests(suite.test, 60_000 + 2 * patience);
	const check = (statement: string, run: (scope: LastingScope) => Promise<void>) =>
		test(`${name}: ${statement}`, () => withScope(suite, run));
	checkDeaths(check);
	checkEnds(check);
	checkOutages(check, { losesAnswers: engine.loseNextAnswer !== undefined });
	if (engine.hold !== undefined) checkWaiting(check);
}

async function withScope(
	{ create, engine, cases, options, readOutput, patience = 30_000, calm = 1_000 }: LastingRunnerSuiteOptions,
	run: (scope: LastingScope) => Promise<void>,
): Promise<void> {
	const dataDirectory = await mkdtemp(join(tmpdir(), "svc-lasting-"));
	const started: Runner[] = [];
	const start = async () => {
		const runner = create().create();
		const clock = { now: () => Date.now() * 1000 };
		await runner.start?.({ logger: silentLogger, clock, dataDirectory, nodeId: testNode, options: createOptions(options) });
		started.push(runner);
		return runner;
	};
	const parts = { engine, cases, start, readOutput, patience, calm };
	const scope = new LastingScope(parts, { runner: await start(), accepted: await engine.accepted() });
	try {
		await run(scope);
	} finally {
		await engine.restore();
		await engine.release?.();
		for (const job of await engine.jobs()) await engine.takeAway(job);
		await scope.bury();
		// Ignore a runner that cannot be stopped, because the failure of the test is more informative.
		await Promise.all(started.map((runner) => within(20_000, Promise.resolve(runner.stop?.()), "`stop` had not ended").catch(() => {})));
		await rm(dataDirectory, { recursive: true, force: true });
	}
}
