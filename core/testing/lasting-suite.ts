import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OptionsInput, Runner, RunnerPlugin } from "../contract/index.ts";
import { checkDeaths } from "./lasting/deaths.ts";
import { checkEnds } from "./lasting/ends.ts";
import type { LastingCases, LastingEngine } from "./lasting/lasting-engine.ts";
import { LastingScope } from "./lasting/lasting-scope.ts";
import { checkOutages } from "./lasting/outages.ts";
import { checkWaiting } from "./lasting/waiting.ts";
import { createOptions } from "./options.ts";
import { type ReadOutput, silentLogger } from "./run-context.ts";
import { testNode } from "./runner/started-runner.ts";
import { asStatements } from "./statement.ts";
import { within } from "./within.ts";

export type { LastingCases, LastingEngine } from "./lasting/lasting-engine.ts";

/** What the suite for runners with lasting work needs. */
export interface LastingRunnerSuiteOptions {
	/** Registers one test, as uvu's `test` does. */
	readonly test: (name: string, run: () => Promise<void>) => void;
	/** Stands in front of every test name. */
	readonly name: string;
	/** Called for each service: a statement has several, one after the other, on one data directory. */
	readonly create: () => RunnerPlugin;
	/** Where the jobs run. It may be made before what it stands for has been started: it is first asked when a statement runs. */
	readonly engine: LastingEngine;
	readonly cases: LastingCases;
	/** Options of the service, where the runner needs others than the defaults. */
	readonly options?: OptionsInput;
	/** Reads the text of stdout from everything emitted, for a runner with an output format of its own. Default: stdout as emitted. */
	readonly readOutput?: ReadOutput;
	/** Milliseconds within which what must happen has happened: a job begins, prints and ends. Default 30000. */
	readonly patience?: number;
	/** Milliseconds for which the suite looks whether something happens that must not, such as a second job. Default 1000. */
	readonly calm?: number;
}

/**
 * Conformance suite of runners whose work goes on without the service, on an engine of its own: containers, clusters, other machines. Beside
 * `testRunner`, which holds them to what all runners promise. One promise a test:
 *
 * a service is killed at any moment, also between submission and the state that tells of it, and the job is found, its output recorded once;
 * a cancel leaves nothing; a job that somebody takes away fails its run within 30 seconds, with the reason; a job that waits is not
 * given up; the first end stands; an engine that cannot be reached never gets a second job.
 *
 * The service is killed by making the run stand still: what it would save or emit from then on is not stored, and another runner is started
 * that is asked to `recover`. What the runner of before still asks of its engine by itself must do no harm, as of a node that has lost its lease.
 */
export function testLastingRunner(suite: LastingRunnerSuiteOptions): void {
	const { name, engine, patience = 30_000 } = suite;
	const test = asStatements(suite.test, 60_000 + 2 * patience);
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
		// What the statement has found says more than that one of them cannot be stopped.
		await Promise.all(started.map((runner) => within(20_000, Promise.resolve(runner.stop?.()), "`stop` had not ended").catch(() => {})));
		await rm(dataDirectory, { recursive: true, force: true });
	}
}
