import * as assert from "node:assert/strict";
import { test } from "uvu";
import { Rooms } from "./buffer-pool.ts";
import { findPlace } from "./wasm-memory.ts";

test("the first pieces are where functions find them, and are never given back; the others are kept up to a number", () => {
	const rooms = new Rooms({ size: 1_000, most: 1, reserved: 2 });
	const take = () => {
		const taken = Array.from({ length: 4 }, () => rooms.take());
		const bytes = taken.map((room) => room.bytes);
		for (const room of taken) assert.ok(room.release());
		return bytes;
	};
	const [first, again] = [take(), take()];
	const isReserved = (bytes: Buffer) => findPlace(bytes) !== undefined;
	assert.deepEqual(first.map(isReserved), [true, true, false, false]);
	assert.deepEqual(again.map(isReserved), [true, true, false, false]);
	assert.ok(again.slice(0, 2).every((bytes) => first.includes(bytes)));
	assert.equal(again.slice(2).filter((bytes) => first.includes(bytes)).length, 1);
});

test("a piece is there until the last who holds it lets go", () => {
	const room = new Rooms({ size: 10, most: 1 }).take();
	room.hold();
	assert.equal(room.release(), false);
	assert.equal(room.bytes.length, 10);
	assert.ok(room.release());
	assert.throws(() => room.bytes, /let go/);
});

test.run();
