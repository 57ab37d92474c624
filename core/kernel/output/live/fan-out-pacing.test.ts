import * as assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "uvu";
import { behindOthers, FollowerTurns, together } from "./fan-out-pacing.ts";

test("some go on at once, the others as many a turn of the event loop, in order", async () => {
	const turns = new FollowerTurns({ standBack: () => false });
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
	const turns = new FollowerTurns({ standBack: () => false });
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
	const turns = new FollowerTurns({ standBack: () => false });
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

test("while they stand back few of many have a turn, and then a pause; a few of them, or afterwards, have none", async () => {
	let standsBack = true;
	const pauses: (() => void)[] = [];
	const turns = new FollowerTurns({ standBack: () => standsBack, later: (go) => void pauses.push(go) });
	let gone = 0;
	const add = (count: number) => {
		for (let added = 0; added < count; added++) turns.take(() => void (gone += 1));
	};
	const turnSome = async () => {
		for (let turned = 0; turned < 4; turned++) await turn();
	};
	add(4 * together);
	await turnSome();
	assert.deepEqual([gone, pauses.length], [together + behindOthers, 1]);
	pauses.shift()?.();
	await turnSome();
	assert.deepEqual([gone, pauses.length], [together + 2 * behindOthers, 1]);
	standsBack = false;
	pauses.shift()?.();
	await turnSome();
	assert.deepEqual([gone, pauses.length], [4 * together, 0]);
	standsBack = true;
	add(2 * together);
	await turnSome();
	assert.deepEqual([gone, pauses.length], [6 * together, 0]);
});

test.run();
