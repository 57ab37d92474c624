import * as assert from "node:assert/strict";
import { assertPrinted, toLines } from "../runner/printed-output.ts";
import type { Going, LastingCheck, LastingScope } from "./lasting-scope.ts";

const lines = 60;

/** Registers the tests of engines that cannot be reached. */
export function checkOutages(check: LastingCheck, { losesAnswers }: { readonly losesAnswers: boolean }): void {
	check("while the engine cannot be reached, a run continues, and it has no second job afterwards", async (scope) => {
		const run = scope.begin(scope.cases.prints(lines));
		await scope.printed(run, "line 3\n");
		await scope.engine.cutOff();
		await scope.willContinue(run, "the run ended because its engine cannot be reached");
		await scope.engine.restore();
		await assertEndsOnce(scope, run);
	});

	check("recovery of a run is retried until the engine can be reached", async (scope) => {
		const given = scope.cases.prints(lines);
		const run = scope.begin(given);
		await scope.printed(run, "line 3\n");
		await scope.engine.cutOff();
		await scope.restart();
		const again = await scope.recover(run.context, given);
		await scope.willContinue(again, "the run was abandoned because its engine cannot be reached");
		await scope.engine.restore();
		await assertEndsOnce(scope, again);
	});

	check("a run that starts while the engine cannot be reached has one job or, if it fails, none", async (scope) => {
		await scope.engine.cutOff();
		const run = scope.begin(scope.cases.prints(3));
		const failed = await Promise.race([run.end.then(isFailure, () => true), scope.calm()]);
		await scope.engine.restore();
		if (failed !== true) return assertEndsOnce(scope, run, 3);
		await scope.calm();
		assert.equal(await scope.accepted(), 0, "a job was submitted for a run that has failed");
	});

	check("a cancel while the engine cannot be reached ends the job when it is reachable again", async (scope) => {
		const run = scope.begin(scope.cases.blocks);
		await scope.printed(run, "ready\n");
		await scope.engine.cutOff();
		run.context.abort("cancel");
		await scope.calm();
		await scope.engine.restore();
		assert.equal((await scope.endOf(run)).succeeded, false);
		await scope.assertNothingLeft(run);
	});

	if (!losesAnswers) return;
	check("a submission whose response is lost creates no second job", async (scope) => {
		await scope.engine.loseNextAnswer?.();
		const run = scope.begin(scope.cases.prints(3));
		await assertEndsOnce(scope, run, 3);
	});

	check("a submission whose response is lost with the service is recovered", async (scope) => {
		await scope.engine.loseNextAnswer?.();
		const given = scope.cases.prints(3);
		const run = scope.begin(given);
		await scope.until(async () => (await scope.accepted()) > 0, "no job was submitted");
		await scope.restart();
		await assertEndsOnce(scope, await scope.recover(run.context, given), 3);
	});
}

const isFailure = (end: { readonly succeeded: boolean } | undefined) => end?.succeeded === false;

async function assertEndsOnce(scope: LastingScope, run: Going, count = lines): Promise<void> {
	assert.equal((await scope.endOf(run)).succeeded, true);
	assertPrinted(run.context, toLines(count));
	assert.equal(await scope.accepted(), 1, "it has not exactly one job");
	await scope.assertNothingLeft(run);
}
