import * as assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "uvu";
import { StartQueue } from "./start-queue.ts";

test("what is asked for together is started in its order, a few in a turn of the event loop, and the first at once", async () => {
	const turns = new StartQueue();
	const started: number[] = [];
	for (let number = 0; number < 10; number++) turns.add(() => started.push(number));
	const after = [started.length];
	for (; started.length < 10 && after.length < 10; after.push(started.length)) await turn();
	assert.deepEqual(after, [1, 5, 9, 10]);
	assert.deepEqual(started, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	await turn();
	turns.add(() => started.push(10));
	assert.equal(started.at(-1), 10, "nothing waits, so it need not either");
});

test.run();
