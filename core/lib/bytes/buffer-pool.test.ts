import * as assert from "node:assert/strict";
import { test } from "uvu";
import { BufferPool } from "./buffer-pool.ts";
import { addressOf } from "./wasm-memory.ts";

test("the first pieces are where functions find them, and are never given back; the others are kept up to a number", () => {
	const rooms = new BufferPool({ size: 1_000, most: 1, reserved: 2 });
	const take = () => {
		const taken = Array.from({ length: 4 }, () => rooms.acquire());
		const bytes = taken.map((room) => room.bytes);
		for (const room of taken) assert.ok(room.release());
		return bytes;
	};
	const [first, again] = [take(), take()];
	const isReserved = (bytes: Buffer) => addressOf(bytes) !== undefined;
	assert.deepEqual(first.map(isReserved), [true, true, false, false]);
	assert.deepEqual(again.map(isReserved), [true, true, false, false]);
	assert.ok(again.slice(0, 2).every((bytes) => first.includes(bytes)));
	assert.equal(again.slice(2).filter((bytes) => first.includes(bytes)).length, 1);
});

test("a piece is there until the last who holds it lets go", () => {
	const room = new BufferPool({ size: 10, most: 1 }).acquire();
	room.retain();
	assert.equal(room.release(), false);
	assert.equal(room.bytes.length, 10);
	assert.ok(room.release());
	assert.throws(() => room.bytes, /after it was released/);
});

test.run();
