import * as assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "uvu";
import { FanOutPacing, followersPerTurn, pacedFollowersPerTurn } from "./fan-out-pacing.ts";

test("some go on at once, the others as many a turn of the event loop, in order", async () => {
	const turns = new FanOutPacing({ shouldPace: () => false });
	const gone: number[] = [];
	const all = 2 * followersPerTurn + 3;
	for (let follower = 0; follower < all; follower++) turns.schedule(() => void gone.push(follower));
	const expect = (count: number) =>
		assert.deepEqual(
			gone,
			Array.from({ length: count }, (_none, follower) => follower),
		);
	expect(followersPerTurn);
	await turn();
	expect(2 * followersPerTurn);
	await turn();
	expect(all);
});

test("one that comes later does not overtake those that wait", async () => {
	const turns = new FanOutPacing({ shouldPace: () => false });
	const gone: number[] = [];
	const add = (follower: number) => turns.schedule(() => void gone.push(follower));
	for (let follower = 0; follower < 5 * followersPerTurn; follower++) add(follower);
	await turn();
	add(5 * followersPerTurn);
	for (let turned = 0; turned < 8; turned++) await turn();
	assert.deepEqual(
		gone,
		Array.from({ length: 5 * followersPerTurn + 1 }, (_none, follower) => follower),
	);
});

test("thousands all get their turn", async () => {
	const turns = new FanOutPacing({ shouldPace: () => false });
	const all = 5_000;
	await new Promise<void>((resolve) => {
		let gone = 0;
		for (let follower = 0; follower < all; follower++) {
			turns.schedule(() => {
				gone += 1;
				if (gone === all) resolve();
			});
		}
	});
	for (let turned = 0; turned < 2; turned++) await turn();
	let isGone = false;
	turns.schedule(() => {
		isGone = true;
	});
	assert.ok(isGone);
});

test("while they stand back few of many have a turn, and then a pause; a few of them, or afterwards, have none", async () => {
	let standsBack = true;
	const pauses: (() => void)[] = [];
	const turns = new FanOutPacing({ shouldPace: () => standsBack, setTimer: (go) => void pauses.push(go) });
	let gone = 0;
	const add = (count: number) => {
		for (let added = 0; added < count; added++) turns.schedule(() => void (gone += 1));
	};
	const turnSome = async () => {
		for (let turned = 0; turned < 4; turned++) await turn();
	};
	add(4 * followersPerTurn);
	await turnSome();
	assert.deepEqual([gone, pauses.length], [followersPerTurn + pacedFollowersPerTurn, 1]);
	pauses.shift()?.();
	await turnSome();
	assert.deepEqual([gone, pauses.length], [followersPerTurn + 2 * pacedFollowersPerTurn, 1]);
	standsBack = false;
	pauses.shift()?.();
	await turnSome();
	assert.deepEqual([gone, pauses.length], [4 * followersPerTurn, 0]);
	standsBack = true;
	add(2 * followersPerTurn);
	await turnSome();
	assert.deepEqual([gone, pauses.length], [6 * followersPerTurn, 0]);
});

test.run();
