import * as assert from "node:assert/strict";
import { test } from "uvu";
import { getSystemClock } from "../basics/clock.ts";
import { createId, isId } from "../basics/ids.ts";
import { StorageClock } from "./storage-clock.ts";

test("a node whose clock differs from the storage's tells whole microseconds, and makes ids that can be found", async () => {
	const ahead = 200_000;
	// Whether half a microsecond is left depends on how long each answer takes.
	for (let node = 0; node < 50; node += 1) {
		const machine = getSystemClock();
		const clock = new StorageClock({ capabilities: { shared: true }, now: async () => machine.wall() + ahead }, machine, 10);
		// What has been told before lies far from what is told now.
		clock.now();
		await clock.measure();
		for (const time of [clock.now(), clock.steady(), clock.wall()]) assert.ok(Number.isInteger(time), String(time));
		assert.ok(isId(createId(clock)));
	}
});

test.run();
