import * as assert from "node:assert/strict";
import { test } from "uvu";
import { recordLoopWork, waitForLoopBudget } from "./event-loop-budget.ts";

/** The turns of the event loop that go by until all of it is done. */
async function turnsOf(pieces: readonly (() => Promise<void>)[]): Promise<number> {
	let turns = 0;
	let isOver = false;
	const count = () => {
		turns += 1;
		if (!isOver) setImmediate(count);
	};
	setImmediate(count);
	await Promise.all(pieces.map((piece) => piece()));
	isOver = true;
	return turns;
}

const pieceOf = (milliseconds: number) => async () => {
	await waitForLoopBudget();
	recordLoopWork(milliseconds);
};

test("there is room for what takes no time, and no turn is waited for", async () => {
	assert.equal(waitForLoopBudget(), undefined);
});

test("heavy pieces have a turn each", async () => {
	recordLoopWork(5);
	const turns = await turnsOf(Array.from({ length: 20 }, () => pieceOf(6)));
	// Counting begins within the first of them.
	assert.ok(turns >= 19, `${turns} turns`);
});

test("of light pieces that wait a turn takes many: others come after five milliseconds, not after each", async () => {
	recordLoopWork(5);
	const turns = await turnsOf(Array.from({ length: 1_000 }, () => pieceOf(0.01)));
	assert.ok(turns <= 20, `${turns} turns`);
});

test.run();
