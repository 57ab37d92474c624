import * as assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { endProcessAfter } from "./process-end.ts";
import { type RegisterTest, timed } from "./run-kit.ts";
import { watchStrays } from "./strays.ts";
import { within } from "./within.ts";

/**
 * The test function of a kit. Where a plugin goes on for ever, or fails where nobody waits for it, test runners never end or end at
 * once, and nobody reads which statement it was: here it is what the statement has found.
 *
 * @param longest milliseconds that one may take: far above what those take that hold
 */
export function asStatements(test: RegisterTest, longest = 60_000): RegisterTest {
	// Whoever runs it without a limit of their own gets this one.
	const limited: (run: () => Promise<void>) => Promise<void> = timed.has(test)
		? (run) => run()
		: (run) => within(longest, run(), "it had not ended");
	return (name, run) => test(name, () => endProcessAfter(() => watched(() => limited(run))));
}

async function watched(run: () => Promise<void>): Promise<void> {
	const strays = watchStrays();
	try {
		// What is rejected without anybody waiting is told of in a later turn.
		await run().finally(() => nextTurn());
	} finally {
		// Before what else has failed, which mostly comes of it.
		assertNone(strays.end());
	}
}

function assertNone([reason]: readonly unknown[]): void {
	if (reason === undefined) return;
	const message = `something has failed that nobody waited for, which ends the process of a service: ${String(reason)}`;
	throw Object.assign(new assert.AssertionError({ message, operator: "fail" }), { cause: reason });
}
