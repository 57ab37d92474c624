import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createManualClock } from "./manual-clock.ts";

test("a manual clock tells microseconds, and goes on only when it is moved", () => {
	const clock = createManualClock("1970-01-01T00:00:01Z");
	assert.equal(clock.now(), 1_000_000);
	clock.advance(1.5);
	assert.equal(clock.now(), 1_001_500);
});

test("what would not be a time, or would go backwards, is refused by name", () => {
	assert.throws(() => createManualClock("soon"), /start: "soon"/);
	assert.throws(() => createManualClock().advance(-1), /milliseconds: -1/);
});

test.run();
