import * as assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "uvu";
import { PollLoop } from "./poll-loop.ts";

function create() {
	const ends: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
	const errors: unknown[] = [];
	const looks = new PollLoop({
		poll: () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })),
		onError: (error) => errors.push(error),
	});
	return { looks, ends, errors };
}

test("what is asked for during a look is looked for once more, and one look at a time is under way", async () => {
	const { looks, ends } = create();
	looks.start();
	for (let count = 0; count < 3; count += 1) looks.wake();
	assert.equal(ends.length, 1);
	ends[0]?.resolve();
	await delay(1);
	assert.equal(ends.length, 2);
	ends[1]?.resolve();
	await delay(1);
	assert.equal(ends.length, 2);
});

test("a look that fails is told of and not repeated at once", async () => {
	const { looks, ends, errors } = create();
	looks.start();
	looks.wake();
	looks.wake();
	ends[0]?.reject(new Error("away"));
	await delay(1);
	assert.deepEqual([ends.length, errors.length], [1, 1]);
	looks.wake();
	assert.equal(ends.length, 2);
	ends[1]?.resolve();
});

test("nothing is looked for before it is started and once it is stopped, which waits for the look under way", async () => {
	const { looks, ends } = create();
	looks.wake();
	assert.equal(ends.length, 0);
	looks.start();
	looks.wake();
	looks.wake();
	let isStopped = false;
	const stopping = looks.stop().then(() => {
		isStopped = true;
	});
	await delay(1);
	assert.equal(isStopped, false);
	ends[0]?.resolve();
	await stopping;
	assert.equal(ends.length, 1);
});

test.run();
