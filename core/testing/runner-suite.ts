import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { JsonObject, OptionsInput, OutputType, Runner, RunnerPlugin } from "../contract/index.ts";
import { assertKnownContract, contractStatement } from "./assert-contract.ts";
import { watchOpenResources } from "./open-resources.ts";
import { createRunContext, type ReadOutput, type TestRunContext } from "./run-context.ts";
import { checkAnnouncementsAndDispatches } from "./runner/announcements-and-dispatches.ts";
import { assertJsonObject, type Check, inTime, type RunnerCases, startUntil } from "./runner/cases.ts";
import { checkChildren } from "./runner/children.ts";
import { assertPrinted, toLines } from "./runner/printed-output.ts";
import { checkProcesses } from "./runner/processes.ts";
import { checkRecovery } from "./runner/recovery.ts";
import { withRunner } from "./runner/started-runner.ts";
import { checkWorkflows } from "./runner/workflows.ts";
import { guardTests } from "./test-guard.ts";
import { endOfAborted, within } from "./within.ts";

export type { RunnerCases } from "./runner/cases.ts";

/** Options of the conformance suite for runners. */
export interface RunnerSuiteOptions {
	/** Registers one test. Accepts the `test` function of uvu or of node:test. */
	readonly test: (name: string, run: () => Promise<void>) => void;
	/** Prefix of every test name. */
	readonly name: string;
	/** Creates the plugin; called for each test. */
	readonly create: () => RunnerPlugin;
	readonly cases: RunnerCases;
	/** Service options that differ from the defaults. */
	readonly options?: OptionsInput;
	/** Milliseconds within which an aborted run must end. Default 6000. */
	readonly grace?: number;
	/**
	 * Milliseconds within which a run must print its first lines, a run that is not aborted must end, and `stop` must finish. Default 5000.
	 */
	readonly patience?: number;
	/** Returns the stdout text of all emitted chunks, for a runner with its own output format. Default: stdout as emitted. */
	readonly readOutput?: ReadOutput;
}

/** Registers the conformance suite of `Runner`: one test for each promise of the contract. */
export function testRunner(suite: RunnerSuiteOptions): void {
	const { name, create, cases, options = {}, grace = 6_000, patience = 5_000, readOutput } = suite;
	const test = guardTests(suite.test, 30_000 + patience + grace);
	const check: Check = (kind, statement, run) => {
		const given = cases[kind];
		// Do not mark the test as skipped: a skip means a missing requirement, which continuous integration refuses.
		if (given === undefined) return;
		test(`${name}: ${statement}`, () =>
			withRunner(
				create().create(),
				(runner, restart) =>
					run({
						runner,
						given,
						grace,
						startUntil: (started, text) => startUntil(runner, started, text, patience),
						inTime: (work) => inTime(work, kind, patience),
						context: (of) => createRunContext(runner, { ...(readOutput === undefined ? {} : { readOutput }), ...of }),
						restart: () => restart(create().create()),
					}),
				{ options, patience },
			));
	};
	test(`${name}: ${contractStatement}`, async () => assertKnownContract(create().contract));
	checkResults(check);
	checkOutput(check);
	checkAborts(check);
	checkProcesses(check);
	checkAnnouncementsAndDispatches(check);
	checkRecovery(check);
	checkChildren(check);
	checkWorkflows(check);
	test(`${name}: after stop, no process, socket or file is open`, () =>
		assertNothingLeft(() => create().create(), cases, { options, patience }));
	test(`${name}: a runner that was not started can be stopped`, async () => void (await create().create().stop?.()));
}

function checkResults(check: Check): void {
	check(
		"succeeds",
		"a successful action resolves as succeeded, with a result that survives JSON",
		async ({ runner, given, context, inTime }) => {
			const end = await inTime(runner.run(context(given)));
			assert.equal(end.succeeded, true);
			assertJsonObject(end);
		},
	);

	check(
		"succeeds",
		"a preview without a run equals the outcome of a run, even if it is repeated",
		async ({ runner, given, context, inTime }) => {
			if (runner.runAtOnce === undefined) return;
			const told = [await runner.runAtOnce(context(given)), await runner.runAtOnce(context(given))];
			const { succeeded, result } = await inTime(runner.run(context(given)));
			for (const answer of told) assert.deepEqual(answer ?? { succeeded, result }, { succeeded, result });
		},
	);

	check("fails", "a failing action resolves as not succeeded", async ({ runner, given, context, inTime }) => {
		const end = await inTime(runner.run(context(given)));
		assert.equal(end.succeeded, false);
		assertJsonObject(end);
	});

	check(
		"throws",
		"a runner that cannot do its work rejects with an error that states the reason",
		async ({ runner, given, context, inTime }) => {
			await inTime(assert.rejects(runner.run(context(given)), (error) => error instanceof Error && error.message !== ""));
		},
	);

	check("succeeds", "one instance runs many actions concurrently", async ({ runner, given, context, inTime }) => {
		const ends = await inTime(Promise.all(Array.from({ length: 20 }, () => runner.run(context(given)))));
		assert.ok(
			ends.every(({ succeeded }) => succeeded),
			"not all of them succeeded",
		);
	});
}

function checkOutput(check: Check): void {
	check("prints", "output is emitted completely and in order", async ({ runner, given, context, inTime }) => {
		const run = context(given(2_000));
		await inTime(runner.run(run));
		assertPrinted(run, toLines(2_000));
	});

	check("prints", "nothing more is emitted on a channel while an emit has not resolved", async ({ runner, given, context, inTime }) => {
		const pending = new Map<OutputType, number>();
		let most = 0;
		const onEmit = async (type: OutputType) => {
			pending.set(type, (pending.get(type) ?? 0) + 1);
			most = Math.max(most, pending.get(type) ?? 0);
			await delay(1);
			pending.set(type, (pending.get(type) ?? 0) - 1);
		};
		const run = context({ ...given(50), onEmit });
		await inTime(runner.run(run));
		assertPrinted(run, toLines(50));
		assert.equal(most, 1);
		assert.ok(
			[...pending.values()].every((count) => count === 0),
			"the run resolved before its output was stored",
		);
	});

	check("prints", "concurrent runs keep their output separate", async ({ runner, given, context, inTime }) => {
		const runs = Array.from({ length: 5 }, (_, index) => ({ count: index + 1, run: context(given(index + 1)) }));
		await inTime(Promise.all(runs.map(({ run }) => runner.run(run))));
		for (const { count, run } of runs) assertPrinted(run, toLines(count));
	});

	check("blocks", "a run whose output is refused ends", async ({ runner, given, grace, context }) => {
		const hint = "await each `emit`, and end the work if it rejects";
		// Some test runners print only this message for an unhandled rejection.
		const onEmit = () => Promise.reject(new Error(`the execution no longer belongs to this run; hint: ${hint}`));
		const end = runner.run(context({ ...given, onEmit })).catch(() => {});
		await within(grace, end, "the run continues although its output was refused,", hint);
	});
}

function checkAborts(check: Check): void {
	for (const kind of ["cancel", "timeout", "shutdown"] as const) {
		check(
			"blocks",
			`an abort (${kind}) ends the run within the grace and keeps the output`,
			async ({ runner, startUntil, given, grace, context }) => {
				const run = context(given);
				const { end } = await startUntil(run, "ready\n");
				run.abort(kind);
				const result = await endOfAborted(grace, end);
				assert.equal(result.succeeded, false);
				assertJsonObject(result);
				assertPrinted(run, "ready\n");
				if (result.status === "running") await endLeft(runner, context({ ...given, after: run }), run.savedState() ?? {});
			},
		);
	}

	check("blocks", "a run that was aborted before it started ends at once", async ({ runner, given, grace, context }) => {
		const run = context(given);
		run.abort("cancel");
		const result = await endOfAborted(grace, runner.run(run));
		assert.equal(result.succeeded, false);
		assertJsonObject(result);
	});

	check("blocks", "an abort ends one run and does not affect the others", async ({ startUntil, given, grace, context }) => {
		const runs = [context(given), context(given)] as const;
		const [first, second] = await Promise.all([startUntil(runs[0], "ready\n"), startUntil(runs[1], "ready\n")]);
		runs[0].abort("cancel");
		await endOfAborted(grace, first.end);
		assert.equal(await Promise.race([second.end, delay(100, "running")]), "running");
		runs[1].abort("cancel");
		await endOfAborted(grace, second.end);
	});
}

/** Ends work that a runner with `recovery` has left running, so that it does not outlive the test. */
async function endLeft(runner: Runner, run: TestRunContext, state: JsonObject): Promise<void> {
	run.abort("cancel");
	await runner.recover?.(run, state);
}

async function assertNothingLeft(
	create: () => Runner,
	{ succeeds, fails }: RunnerCases,
	limits: { readonly options: OptionsInput; readonly patience: number },
): Promise<void> {
	const resources = watchOpenResources();
	const use = async (runner: Runner) => {
		const given = succeeds ?? fails;
		if (given === undefined) return;
		await inTime(runner.run(createRunContext(runner, given)), succeeds === undefined ? "fails" : "succeeds", limits.patience);
	};
	// Use a separate node id, so that the runner shares no resources with other runners of this file, which may keep them open.
	await withRunner(create(), use, { nodeId: "test-alone", ...limits });
	await resources.assertNothingNew();
}
