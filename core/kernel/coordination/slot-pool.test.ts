import * as assert from "node:assert/strict";
import { test } from "uvu";
import { SlotPool } from "./slot-pool.ts";

function createPool(size: number, resting = () => 0) {
	const counts = { freed: 0 };
	const pool = new SlotPool({ size, resting, onSlotFree: () => (counts.freed += 1) });
	return { pool, counts };
}

test("a pool has no free slot until it is opened, and none after it is closed, but records in progress continue", async () => {
	const { pool } = createPool(2);
	assert.equal(pool.free, 0);
	pool.open();
	assert.equal(pool.free, 2);
	let finish = () => {};
	pool.occupy(new Promise((resolve) => (finish = resolve)));
	pool.close();
	assert.deepEqual([pool.free, pool.used], [0, 1]);
	finish();
	await pool.whenIdle();
	assert.equal(pool.used, 0);
});

test("reserved slots, records in progress and resting records are counted, and more records than slots may be in progress", async () => {
	let resting = 0;
	const { pool, counts } = createPool(2, () => resting);
	pool.open();
	pool.reserve(1);
	pool.occupy(Promise.resolve());
	assert.equal(pool.free, 0);
	resting = 1;
	assert.equal(pool.free, 1);
	pool.occupy(Promise.resolve());
	pool.occupy(Promise.resolve());
	assert.deepEqual([pool.free, pool.used], [0, 4]);
	await pool.whenIdle();
	assert.deepEqual([pool.free, pool.used, counts.freed], [2, 1, 3]);
});

test("a reservation either reports its slot as free or starts its record, and settles after that", async () => {
	const { pool, counts } = createPool(1);
	pool.open();
	pool.reserve(1);
	const order: string[] = [];
	const settled = pool.whenReservationsSettled().then(() => order.push("settled"));
	pool.release(1, () => order.push("begun"));
	await settled;
	assert.deepEqual([order, counts.freed], [["begun", "settled"], 0]);
	pool.reserve(1);
	pool.release(1);
	assert.equal(counts.freed, 1);
});

test.run();
