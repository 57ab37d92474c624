import * as assert from "node:assert/strict";
import { test } from "uvu";
import { headerBytes, type Packet } from "../_event-bus/packet.ts";
import { Assembler, splitPacket } from "./packet-parts.ts";

const packet: Packet = { kind: "events", sender: "s", lane: 3, sequence: 7, body: "a€\u{1f600}\n".repeat(1_000) };
const most = 2 * headerBytes + 10;

test("a packet that fits goes whole", () => {
	const small = { ...packet, body: "x".repeat(10) };
	assert.deepEqual(splitPacket(small, most), [small]);
	assert.equal(splitPacket({ ...packet, body: "x".repeat(11) }, most).length, 2);
});

test("parts are put together again, and no character is cut", () => {
	const parts = splitPacket(packet, most);
	for (const { body } of parts) assert.equal(body.includes("\ufffd"), false);
	const assembler = new Assembler();
	const other = splitPacket({ ...packet, sender: "other" }, most);
	const complete = parts.flatMap((part, index) => [assembler.add(part), assembler.add(other[index] as Packet)].filter(Boolean));
	assert.deepEqual(complete, [packet, { ...packet, sender: "other" }]);
});

test("a packet of which a part is missing never comes, and the next one does", () => {
	const assembler = new Assembler();
	const parts = splitPacket(packet, most);
	for (const part of parts.filter((_, index) => index !== 5)) assert.equal(assembler.add(part), undefined);
	const next = { ...packet, sequence: 8, body: "small" };
	assert.deepEqual(assembler.add(next), next);
	const again = parts.map((part) => assembler.add({ ...part, sequence: 9 }));
	assert.deepEqual(again.at(-1), { ...packet, sequence: 9 });
});

test("what begins anew in the middle is put together from its new beginning", () => {
	const assembler = new Assembler();
	const parts = splitPacket(packet, most);
	for (const part of parts.slice(0, 9)) assembler.add(part);
	assert.deepEqual(parts.map((part) => assembler.add(part)).at(-1), packet);
});

test.run();
