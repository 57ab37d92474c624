import * as assert from "node:assert/strict";
import type { Check } from "./check.ts";

/** Maximum difference to this machine's clock, in microseconds (one hour). */
const nearby = 3_600_000_000;

/** Registers the tests of `now`. */
export function checkTime(check: Check): void {
	check("a shared storage returns the time, which advances and is the same for all nodes", async (storage) => {
		if (storage.capabilities.shared !== true) return;
		assert.ok(
			storage.now !== undefined,
			"it has no method now: nodes would use their own clocks, and a node with a wrong clock would take over the work of others",
		);
		const first = await storage.now();
		assert.ok(
			Number.isFinite(first) && Math.abs(first - Date.now() * 1_000) < nearby,
			`${first} is not the time in microseconds since 1970`,
		);
		await new Promise((resolve) => setTimeout(resolve, 20));
		const second = await storage.now();
		assert.ok(second - first >= 15_000, `in 20 milliseconds its time advanced by ${second - first} microseconds`);
	});
}
