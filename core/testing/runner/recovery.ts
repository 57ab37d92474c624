import * as assert from "node:assert/strict";
import { endOfAborted } from "../within.ts";
import type { Check } from "./cases.ts";
import { assertPrinted, toLines } from "./printed-output.ts";

const count = 60;

/** Registers the tests of runners with the capability `recovery`. */
export function checkRecovery(check: Check): void {
	check("lasts", "a run that continues when the service stops is recovered, without gaps or repetitions", async (scope) => {
		const { runner, startUntil, given, context } = scope;
		assert.equal(runner.capabilities.recovery, true);
		const first = context(given(count));
		const { end } = await startUntil(first, "line 5\n");
		first.abort("shutdown");
		assert.equal((await end).status, "running");
		const state = first.savedState();
		assert.ok(state !== undefined, "no state was saved");
		assert.deepEqual(JSON.parse(JSON.stringify(state)), state);
		const second = context({ ...given(count), after: first });
		const found = await (await scope.restart()).recover?.(second, state);
		assert.equal(found?.succeeded, true);
		assertPrinted(second, toLines(count));
	});

	check("lasts", "a recovered run can be ended", async ({ startUntil, given, grace, context, restart }) => {
		const first = context(given(count));
		const { end } = await startUntil(first, "line 5\n");
		first.abort("shutdown");
		await end;
		const second = context({ ...given(count), after: first });
		const again = (await restart()).recover?.(second, first.savedState() ?? {});
		second.abort("cancel");
		const found = await endOfAborted(grace, Promise.resolve(again));
		assert.equal(found?.succeeded, false);
	});

	check("lasts", "an end that was not stored is recovered, but not after it was stored", async ({ runner, given, context, inTime }) => {
		const run = context(given(1));
		const { succeeded } = await inTime(runner.run(run));
		const again = context({ ...given(1), after: run });
		assert.equal((await runner.recover?.(again, run.savedState() ?? {}))?.succeeded, succeeded);
		assertPrinted(again, toLines(1));
		if (runner.afterRun === undefined) return;
		await runner.afterRun(run);
		// The runner may return nothing or report the work as removed. A successful result would mean that it keeps results forever.
		const late = await runner.recover?.(context({ ...given(1), after: run }), run.savedState() ?? {});
		assert.notEqual(late?.succeeded, true, "the end still exists after it was stored");
	});
}
