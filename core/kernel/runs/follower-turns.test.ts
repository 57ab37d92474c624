import * as assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "uvu";
import { FollowerTurns, together } from "./follower-turns.ts";

test("some go on at once, the others as many a turn of the event loop, in order", async () => {
	const turns = new FollowerTurns();
	const gone: number[] = [];
	const all = 2 * together + 3;
	for (let follower = 0; follower < all; follower++) turns.take(() => void gone.push(follower));
	const expect = (count: number) =>
		assert.deepEqual(
			gone,
			Array.from({ length: count }, (_none, follower) => follower),
		);
	expect(together);
	await turn();
	expect(2 * together);
	await turn();
	expect(all);
});

test("one that comes later does not overtake those that wait", async () => {
	const turns = new FollowerTurns();
	const gone: number[] = [];
	const add = (follower: number) => turns.take(() => void gone.push(follower));
	for (let follower = 0; follower < 5 * together; follower++) add(follower);
	await turn();
	add(5 * together);
	for (let turned = 0; turned < 8; turned++) await turn();
	assert.deepEqual(
		gone,
		Array.from({ length: 5 * together + 1 }, (_none, follower) => follower),
	);
});

test("thousands all get their turn", async () => {
	const turns = new FollowerTurns();
	const all = 5_000;
	await new Promise<void>((resolve) => {
		let gone = 0;
		for (let follower = 0; follower < all; follower++) {
			turns.take(() => {
				gone += 1;
				if (gone === all) resolve();
			});
		}
	});
	for (let turned = 0; turned < 2; turned++) await turn();
	let isGone = false;
	turns.take(() => {
		isGone = true;
	});
	assert.ok(isGone);
});

test.run();
