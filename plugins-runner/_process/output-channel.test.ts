import * as assert from "node:assert/strict";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { test } from "uvu";
import { OutputChannel } from "./output-channel.ts";

function createChannel() {
	const pieces: string[] = [];
	const seen = { consumed: 0 };
	const channel = new OutputChannel({
		deliver: (text) => void pieces.push(text),
		onConsumed: (bytes) => {
			seen.consumed += bytes;
		},
		onFailure: (error) => assert.fail(String(error)),
	});
	return { channel, pieces, seen };
}

test("what comes fast in small reads is handed on in large pieces", async () => {
	const run = async () => {
		const { channel, pieces } = createChannel();
		const read = Buffer.from(`${"x".repeat(1_023)}\n`);
		for (let count = 0; count < 4_000; count += 1) {
			channel.push(read);
			await turn();
		}
		channel.end();
		await channel.whenDone;
		assert.equal(pieces.join("").length, 4_000 * read.length);
		return pieces.length;
	};
	// On a machine that stands still now and then it waits in vain.
	const counts: number[] = [];
	for (let count = 0; count < 5; count += 1) counts.push(await run());
	assert.ok(Math.min(...counts) <= 2_000, counts.join());
});

test("lines come one by one again when the flood is over", async () => {
	const { channel, pieces } = createChannel();
	channel.push(Buffer.from(`${"x".repeat(1_023)}\n`.repeat(1_000)));
	while (pieces.join("").length < 1_024_000) await turn();
	await delay(60);
	pieces.length = 0;
	for (const line of ["one\n", "two\n"]) {
		channel.push(Buffer.from(line));
		await turn();
	}
	assert.deepEqual(pieces, ["one\n", "two\n"]);
	channel.end();
	await channel.whenDone;
});

test("lines by themselves are handed on as they come, one after the other, and what comes meanwhile waits", async () => {
	const pieces: string[] = [];
	let [goOn, consumed] = [() => {}, 0];
	const channel = new OutputChannel({
		async deliver(text) {
			pieces.push(text);
			if (text === "two\n") await new Promise<void>((resolve) => (goOn = resolve));
		},
		onConsumed: (bytes) => void (consumed += bytes),
		onFailure: (error) => assert.fail(String(error)),
	});
	channel.push(Buffer.from("one\n"));
	assert.deepEqual(pieces, ["one\n"]);
	await turn();
	for (const text of ["two\n", "three\n", "fo"]) channel.push(Buffer.from(text));
	channel.end();
	await turn();
	assert.deepEqual(pieces, ["one\n", "two\n"]);
	goOn();
	await channel.whenDone;
	assert.deepEqual(pieces, ["one\n", "two\n", "three\n", "fo"]);
	assert.equal(consumed, 0);
});

test("text is the same however its bytes were cut, and memory given to push may be used again", async () => {
	const text = `äöü 🔑 €\n${"long line ".repeat(20_000)}é\nend ${"z".repeat(70_000)}`;
	const bytes = Buffer.from(text);
	for (const size of [7, 1_000, 65_536, bytes.length]) {
		const { channel, pieces, seen } = createChannel();
		const read = Buffer.alloc(size);
		for (let start = 0; start < bytes.length; start += size) {
			const length = bytes.copy(read, 0, start);
			channel.push(read.subarray(0, length));
			read.fill(0);
			if (size > 7 || start % 700 === 0) await turn();
		}
		channel.end();
		await channel.whenDone;
		assert.equal(pieces.join(""), text);
		assert.ok(pieces.every(({ length }) => length <= 128 * 1024));
		assert.ok(bytes.length - seen.consumed < 65_536);
	}
});

test("text is the same where its bytes are read to the place for them, little or much at a time, and whatever waits", async () => {
	const text = `äöü 🔑 €\n${"long line ".repeat(20_000)}é\n${`${"x".repeat(79)}\n`.repeat(20_000)}end ${"z".repeat(200_000)}`;
	const bytes = Buffer.from(text);
	for (const sizes of [[1_000], [65_536, 10, 3_000], [262_144, 262_144, 20]]) {
		const { channel, pieces } = createChannel();
		for (let start = 0, count = 0; start < bytes.length; count += 1) {
			const place = channel.nextBuffer();
			const length = bytes.copy(place, 0, start, start + (sizes[count % sizes.length] as number));
			channel.push(place.subarray(0, length));
			// Whoever reads may do so at once.
			channel.nextBuffer().fill("?");
			start += length;
			if (count % 3 !== 0) await turn();
		}
		channel.end();
		await channel.whenDone;
		assert.ok(pieces.join("") === text, `${sizes.join()}: another text`);
	}
});

test.run();
