import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createId, isId } from "./ids.ts";

test("an id is 24 hex characters, and sorts by creation, whatever parts of a microsecond a clock tells", () => {
	const start = Date.now() * 1_000;
	for (const [first, second] of [
		[start + 0.5, start + 0.75],
		[start + 1.25, start + 2],
	] as const) {
		const ids = [createId({ now: () => first }), createId({ now: () => second })];
		assert.ok(ids.every(isId), ids.join());
		assert.deepEqual([...ids].sort(), ids);
	}
});

test.run();
