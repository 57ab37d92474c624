import * as assert from "node:assert/strict";
import type { Check } from "./cases.ts";

/** Registers the tests of runners that announce or dispatch events. */
export function checkAnnouncementsAndDispatches(check: Check): void {
	check("announces", "announcements and dispatches arrive unchanged", async ({ runner, given, context, inTime }) => {
		const run = context(given.given);
		assert.equal((await inTime(runner.run(run))).succeeded, true);
		assert.deepEqual(run.announcements, given.announcements ?? []);
		assert.deepEqual(run.dispatched, given.dispatched ?? []);
	});
}
