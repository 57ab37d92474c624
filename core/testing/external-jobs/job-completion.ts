import * as assert from "node:assert/strict";
import type { RunResult } from "../../contract/index.ts";
import { assertJsonObject } from "../runner/cases.ts";
import { assertPrinted, toLines } from "../runner/printed-output.ts";
import { within } from "../within.ts";
import type { LastingCheck, LastingScope } from "./lasting-scope.ts";

/** Milliseconds within which a runner must detect that its job was removed. */
const noticed = 30_000;

/** Registers the tests of how jobs and runs end. */
export function checkEnds(check: LastingCheck): void {
	checkCancels(check);
	checkTakenAway(check);
	check("a completed job is removed when the end of its run is stored", async (scope) => {
		const run = scope.begin(scope.cases.prints(3));
		assert.equal((await scope.endOf(run)).succeeded, true);
		assertPrinted(run.context, toLines(3));
		await scope.assertNothingLeft(run);
	});

	check("the first end is final, even if it is queried again", async (scope) => {
		for (const given of [scope.cases.fails, scope.cases.prints(3)]) {
			const first = scope.begin(given);
			const end = await scope.endOf(first);
			await scope.restart();
			const second = await scope.recover(first.context, given);
			assert.deepEqual(await scope.endOf(second), end);
			// Two services recover the run at once, as when one has not yet noticed that it lost the lease.
			const both = [await scope.recover(second.context, given), await scope.recover(second.context, given)];
			for (const each of both) assert.deepEqual(await scope.endOf(each), end);
			assert.equal(second.context.text("stdout"), first.context.text("stdout"));
			await scope.assertNothingLeft(second);
		}
	});

	check("a job that fails is a run that has failed, with a result that survives JSON", async (scope) => {
		const run = scope.begin(scope.cases.fails);
		const end = await scope.endOf(run);
		assert.equal(end.succeeded, false);
		assertJsonObject(end);
		await scope.assertNothingLeft(run);
	});
}

function checkCancels(check: LastingCheck): void {
	check("a cancel leaves nothing of the job", async (scope) => {
		const run = scope.begin(scope.cases.blocks);
		await scope.printed(run, "ready\n");
		run.context.abort("cancel");
		assert.equal((await scope.endOf(run)).succeeded, false);
		await scope.assertNothingLeft(run);
	});

	check("a cancel of a run whose service was killed leaves nothing of the job", async (scope) => {
		const run = scope.begin(scope.cases.blocks);
		await scope.printed(run, "ready\n");
		await scope.restart();
		const again = await scope.recover(run.context, scope.cases.blocks, { isCanceled: true });
		assert.notEqual((await within(noticed, again.end, "the run continues although it was canceled"))?.succeeded, true);
		await scope.assertNothingLeft(again);
		assert.equal(await scope.accepted(), 1);
	});
}

function checkTakenAway(check: LastingCheck): void {
	check("a job removed by another client fails its run within 30 seconds, with the reason", async (scope) => {
		const run = scope.begin(scope.cases.blocks);
		await scope.printed(run, "ready\n");
		await takeAllAway(scope);
		await assertFailsWithReason(run.end);
		assert.equal(await scope.accepted(), 1, "its job was submitted again");
		await scope.assertNothingLeft(run);
	});

	check("a job removed while no service ran is not submitted again", async (scope) => {
		const run = scope.begin(scope.cases.blocks);
		await scope.printed(run, "ready\n");
		await scope.restart();
		await takeAllAway(scope);
		const again = await scope.recover(run.context, scope.cases.blocks);
		let isSettled = false;
		const end = again.end
			.catch(() => undefined)
			.finally(() => {
				isSettled = true;
			});
		const isOver = async () => isSettled || (await scope.accepted()) > 1;
		await scope.until(isOver, "the run waits for a job that is gone");
		assert.equal(await scope.accepted(), 1, "its job was submitted again");
		assertNoSuccess(await end);
		await scope.calm();
		assert.equal(await scope.accepted(), 1, "its job was submitted again");
	});
}

function assertNoSuccess(end: unknown): void {
	const { succeeded = false, status } = (end ?? {}) as Partial<RunResult>;
	assert.equal(succeeded, false);
	assert.notEqual(status, "running");
}

async function takeAllAway({ engine }: LastingScope): Promise<void> {
	for (const job of await engine.jobs()) await engine.takeAway(job);
}

/** Asserts that the run fails with a reason, as a result or as a rejection. The host stores both as `failed`. */
async function assertFailsWithReason(run: Promise<RunResult | undefined>) {
	const settled = run.then(
		(end) => ({ end }),
		(error: unknown) => ({ error }),
	);
	const outcome = await within(noticed, settled, "the run did not notice that the job is gone");
	if ("error" in outcome) return assert.ok(outcome.error instanceof Error && outcome.error.message !== "", "it fails without a reason");
	const { end } = outcome;
	assert.ok(end !== undefined, "the run was not recovered");
	assert.equal(end.succeeded, false);
	assert.ok(end.status === undefined || end.status === "failed", `its status is ${end.status}`);
	const { error } = end.result;
	assert.ok(typeof error === "string" && error !== "", "`error` of its result does not say why");
}
