import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { BusEvent } from "../../core/contract/index.ts";
import { formatEvent, formatPacket, parsePacket, readEvents } from "./packet.ts";
import { toLane, toLanes } from "./partitions.ts";
import { WantedLanes } from "./shared-bus.ts";

test("a packet is read as it was written", () => {
	const body = formatEvent({ name: "a\nb", data: { text: "ä\u0000\ud800\u2028" } }) + formatEvent({ name: "", data: {} });
	const packet = { kind: "events", sender: "Ab-_9", lane: 63, sequence: 9_007_199_254_740, body };
	assert.deepEqual(parsePacket(formatPacket(packet)), packet);
	const events: BusEvent[] = [];
	readEvents(
		body,
		() => true,
		(event) => events.push(event),
	);
	assert.deepEqual(events, [
		{ name: "a\nb", data: { text: "ä\u0000\ud800\u2028" } },
		{ name: "", data: {} },
	]);
});

test("the data of events that nobody wants is not read", () => {
	const delivered: BusEvent[] = [];
	const body = `"a"\nno JSON at all\n${formatEvent({ name: "b", data: { number: 1 } })}`;
	readEvents(
		body,
		(name) => name === "b",
		(event) => delivered.push(event),
	);
	assert.deepEqual(delivered, [{ name: "b", data: { number: 1 } }]);
});

test("what is no packet is undefined, what is no event throws", () => {
	for (const text of ["", "\n", "hello", "svc1 events a 0\n", "svc2 events a 0 1\n", "svc1 events a -1 1\n", "svc1 events a 0 1e3\n"])
		assert.equal(parsePacket(text), undefined);
	for (const body of ["x\n{}\n", '"a"', '"a"\n', '"a"\n{}', '"a"\n[]\n', '"a"\nnull\n', "1\n{}\n"])
		assert.throws(() =>
			readEvents(
				body,
				() => true,
				() => {},
			),
		);
});

test("each name travels in a lane that its subscribers listen to", () => {
	const names = ["svc.execution__update", "svc.execution.output__create", "svc.announcement__x__y", "a", "", "__", "a_b"];
	for (const name of names) {
		const lane = toLane(name, 64);
		assert.ok(lane >= 0 && lane < 64);
		for (let length = 0; length <= name.length; length += 1) assert.ok(toLanes([`${name.slice(0, length)}*`], 64).has(lane), name);
		assert.deepEqual([...toLanes([name], 64)], [lane]);
	}
	assert.equal(toLanes(["svc.announcement__*"], 64).size, 1);
	assert.equal(toLanes(["svc.*"], 64).size, 64);
});

test("a lane is wanted until its last subscriber leaves", () => {
	const wanted = new WantedLanes(64);
	const lane = toLane("a", 64);
	assert.deepEqual(wanted.add(["a", "a__b"]), [lane]);
	assert.deepEqual(wanted.add(["a"]), []);
	assert.equal(wanted.remove(["a"]), false);
	assert.deepEqual([...wanted.all()], [lane]);
	assert.equal(wanted.remove(["a", "a__b"]), true);
	assert.equal(wanted.all().size, 0);
});

test.run();
