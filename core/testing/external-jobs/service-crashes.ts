import * as assert from "node:assert/strict";
import { assertPrinted, toLines } from "../runner/printed-output.ts";
import { within } from "../within.ts";
import type { Going, LastingCheck, LastingScope } from "./lasting-scope.ts";

/** Moments at which the service is killed (see `KillableRun`): from before the first state is stored to the first lines of output. */
const moments = [1, 2, 3, 4, 5, 6];
const lines = 8;

/** Registers the tests of services that are killed. */
export function checkDeaths(check: LastingCheck): void {
	check("no job is submitted before its run can be recovered", async (scope) => {
		const run = scope.begin(scope.cases.prints(lines), 1);
		await within(30_000, Promise.race([run.death, run.end]), "the run has neither saved its state nor ended");
		await scope.calm();
		assert.equal(await scope.accepted(), 0, "a job was submitted that could not be recovered after a crash");
		assert.deepEqual(await scope.engine.jobs(), []);
	});

	check("a run whose service is killed at any moment is recovered, with its output once and without a second job", async (scope) => {
		const given = scope.cases.prints(lines);
		const killed = moments.map((moment) => scope.begin(given, moment));
		await within(30_000, Promise.all(killed.map(({ end, death }) => Promise.race([death, end]))), "a run was neither killed nor completed");
		await scope.restart();
		const found = killed.filter(({ context }) => context.savedState() !== undefined);
		const again = await Promise.all(found.map(({ context }) => scope.recover(context, given)));
		await assertEachOnce(scope, again);
	});

	check("a run whose service is killed directly after the submission is recovered", async (scope) => {
		const given = scope.cases.prints(lines);
		const run = scope.begin(given);
		await scope.until(async () => (await scope.accepted()) > 0, "no job was submitted");
		run.kill();
		await scope.restart();
		await assertEachOnce(scope, [await scope.recover(run.context, given)]);
	});

	check("output arrives once, however often the service stops and is killed", async (scope) => {
		const given = scope.cases.prints(60);
		const first = scope.begin(given);
		await scope.printed(first, "line 5\n");
		first.context.abort("shutdown");
		assert.equal((await scope.endOf(first)).status, "running", "it does not leave its job running when the service stops");
		await scope.restart();
		const second = await scope.recover(first.context, given);
		await scope.printed(second, "line 20\n");
		await scope.restart();
		const third = await scope.recover(second.context, given);
		assert.equal((await scope.endOf(third)).succeeded, true);
		assertPrinted(third.context, toLines(60));
		assert.equal(await scope.accepted(), 1);
		await scope.assertNothingLeft(third);
	});
}

/**
 * Asserts that exactly one job was submitted for each recovered run, and that no job remains. `recover` need not find a run for which no
 * job was submitted.
 */
async function assertEachOnce(scope: LastingScope, runs: readonly Going[]): Promise<void> {
	const ends = await within(30_000, Promise.all(runs.map(({ end }) => end)), "a recovered run continues");
	const ended = runs.filter((_, index) => ends[index] !== undefined);
	for (const [index, end] of ends.entries()) {
		const run = runs[index];
		if (end === undefined || run === undefined) continue;
		assert.equal(end.succeeded, true, `its job was not recovered: ${JSON.stringify(end)}`);
		assertPrinted(run.context, toLines(lines));
	}
	assert.equal(await scope.accepted(), ended.length, "not every run has exactly one job");
	for (const run of ended) await run.runner.afterRun?.(run.context);
	await scope.assertNoJob();
}
