import * as assert from "node:assert/strict";
import { assertPrinted, toLines } from "../runner/printed-output.ts";
import type { LastingCheck } from "./lasting-scope.ts";

/** Registers the tests of jobs that wait in the engine's queue. */
export function checkWaiting(check: LastingCheck): void {
	check("a queued job is neither abandoned nor submitted again", async (scope) => {
		const given = scope.cases.prints(3);
		await scope.engine.hold?.();
		const run = scope.begin(given);
		await scope.until(async () => (await scope.accepted()) > 0, "no job was submitted");
		await scope.willContinue(run, "the run ended although its job has not started");
		await scope.restart();
		const again = await scope.recover(run.context, given);
		await scope.willContinue(again, "a restarted service abandons a job that has not started");
		await scope.engine.release?.();
		assert.equal((await scope.endOf(again)).succeeded, true);
		assertPrinted(again.context, toLines(3));
		assert.equal(await scope.accepted(), 1);
		await scope.assertNothingLeft(again);
	});

	check("a cancel leaves nothing of a queued job", async (scope) => {
		await scope.engine.hold?.();
		const run = scope.begin(scope.cases.blocks);
		await scope.until(async () => (await scope.accepted()) > 0, "no job was submitted");
		run.context.abort("cancel");
		assert.equal((await scope.endOf(run)).succeeded, false);
		await scope.assertNothingLeft(run);
		await scope.engine.release?.();
		await scope.calm();
		await scope.assertNoJob();
	});
}
