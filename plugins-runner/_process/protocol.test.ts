import * as assert from "node:assert/strict";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { test } from "uvu";
import { decodeChannelNumber, encodeChannelNumber, FrameReader, FrameWriter, frameTypes, maxCopiedPayloadBytes } from "./protocol.ts";
import { createMarkDecoder } from "./terminal.ts";

/** What a writer sends, as one run of bytes. */
async function collect(write: (writer: FrameWriter) => void): Promise<Buffer> {
	const pieces: Buffer[] = [];
	const sink = new Duplex({
		read() {},
		write(bytes, _encoding, done) {
			pieces.push(bytes);
			done();
		},
	});
	write(new FrameWriter(sink as Socket));
	await new Promise(setImmediate);
	await new Promise((resolve) => sink.end(resolve));
	return Buffer.concat(pieces);
}

test("frames survive being cut anywhere", async () => {
	const bytes = await collect((writer) => {
		writer.write(frameTypes.start, 1, JSON.stringify({ file: "é" }));
		writer.write(frameTypes.stdout, 0xffffffff, Buffer.from("some output"));
		writer.write(frameTypes.ended, 2);
		writer.write(frameTypes.stderr, 3, "");
		writer.write(frameTypes.credit, 4, encodeChannelNumber("stderr", 65_536));
	});
	for (let size = 1; size <= bytes.length; size++) {
		const seen = new Map<string, string>();
		const reader = new FrameReader((type, id, payload) => {
			const key = `${type} ${id}`;
			seen.set(key, (seen.get(key) ?? "") + payload.toString("latin1"));
		});
		for (let offset = 0; offset < bytes.length; offset += size) reader.push(bytes.subarray(offset, offset + size));
		assert.equal(seen.size, 5);
		assert.equal(Buffer.from(seen.get(`${frameTypes.start} 1`) ?? "", "latin1").toString(), '{"file":"é"}');
		assert.equal(seen.get(`${frameTypes.stdout} ${0xffffffff}`), "some output");
		assert.deepEqual(decodeChannelNumber(Buffer.from(seen.get(`${frameTypes.credit} 4`) ?? "", "latin1")), {
			channel: "stderr",
			number: 65_536,
		});
	}
});

test("frames of every length come in their order, and what small ones were made of may be used again at once", async () => {
	const lengths = [0, 1, 300, maxCopiedPayloadBytes - 1, maxCopiedPayloadBytes, maxCopiedPayloadBytes + 1, 70_000];
	const frames = Array.from({ length: 60 }, (_, id) => ({ id, length: lengths[(id * 5) % lengths.length] ?? 0, isText: id % 3 === 0 }));
	const letterOf = (id: number) => String.fromCharCode(97 + (id % 26));
	const bytes = await collect((writer) => {
		for (const { id, length, isText } of frames) {
			const payload = Buffer.alloc(length, letterOf(id));
			writer.write(frameTypes.input, id, isText ? payload.toString() : payload);
			if (length <= maxCopiedPayloadBytes) payload.fill("?");
		}
	});
	const seen: string[] = [];
	new FrameReader((_, id, payload) => seen.push(`${id} ${payload.toString()}`)).push(bytes);
	assert.deepEqual(
		seen,
		frames.map(({ id, length }) => `${id} ${letterOf(id).repeat(length)}`),
	);
});

test("the first start of a turn of the event loop leaves at once, and what comes behind it together", async () => {
	const writes: string[] = [];
	const sink = new Duplex({
		read() {},
		write(bytes, _encoding, done) {
			writes.push(String(bytes));
			done();
		},
		writev(pieces, done) {
			writes.push(pieces.map(({ chunk }) => String(chunk)).join(""));
			done();
		},
	});
	const writer = new FrameWriter(sink as Socket);
	const texts = () => writes.map((text) => text.replace(/[^a-z]/g, ""));
	for (const text of ["one", "two", "three"]) writer.write(frameTypes.start, 1, text);
	assert.deepEqual(texts(), ["one"]);
	await new Promise(setImmediate);
	assert.deepEqual(texts(), ["one", "twothree"]);
	writer.write(frameTypes.input, 1, "four");
	writer.write(frameTypes.start, 1, "five");
	assert.equal(writes.length, 2);
	await new Promise(setImmediate);
	assert.deepEqual(texts().slice(2), ["fourfive"]);
});

test("a terminal's output is what the program wrote, wherever reads cut it", () => {
	const mark = Buffer.from("\0mark\0");
	const bytes = Buffer.from("a\r\nb\r\r\nc\rd\0e\0ma\r\nend\0mark\0");
	for (let size = 1; size <= bytes.length; size++) {
		const decode = createMarkDecoder(mark);
		let text = "";
		let ended = false;
		for (let offset = 0; offset < bytes.length; offset += size) {
			assert.ok(!ended);
			const decoded = decode(bytes.subarray(offset, offset + size));
			text += decoded.output.toString();
			({ ended } = decoded);
		}
		assert.ok(ended);
		assert.equal(text, "a\nb\r\nc\rd\0e\0ma\nend");
	}
});

test.run();
