import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { OutputChunk } from "../../kernel/executions/executions-api.ts";
import { attachPooledText, PooledText } from "../../lib/bytes/pooled-text.ts";
import { OutputFrames } from "./sse-output-frames.ts";

const lines = (letter: string) => `${letter.repeat(79)}\n`.repeat(800);

function toChunk(sequence: number, text: string): OutputChunk {
	const paged = new PooledText();
	paged.append(Buffer.from(text));
	const members = {
		id: sequence.toString(16).padStart(24, "0"),
		execution_id: "0".repeat(24),
		sequence,
		output_type: "stdout",
		timestamp: "2031-03-04T09:15:02.518273Z",
		secret_spans: null,
		lines_before: 0,
		own_lines_before: 0,
		action_ref: "core.local",
		runner_ref: "local-shell-cmd",
	} as const;
	return attachPooledText(members, paged);
}

const toText = (frame: Uint8Array) => (JSON.parse(/^data: (.*)$/m.exec(Buffer.from(frame).toString())?.[1] ?? "") as { data: string }).data;

test("the event of a text in a page is that of a string", () => {
	const text = `"quoted" \\ \t${lines("a")}`;
	const paged = toChunk(7, text);
	const [first, second] = [paged, { ...paged }].map((chunk) =>
		Buffer.from(new OutputFrames({ masked: true }, () => false).of(chunk)).toString(),
	);
	assert.equal(first, second);
	assert.equal(toText(Buffer.from(String(first))), text);
});

test("the memory of events is used again once they were sent, and not before", () => {
	const ways = [
		(frames: OutputFrames, chunk: OutputChunk) => frames.of(chunk),
		(frames: OutputFrames, chunk: OutputChunk) => frames.ofSeveral(chunk, () => undefined),
	];
	for (const send of ways) {
		let isSent = true;
		const frames = new OutputFrames({ masked: true }, () => isSent);
		const first = send(frames, toChunk(1, lines("a")));
		const second = send(frames, toChunk(2, lines("b")));
		assert.equal(second.buffer, first.buffer);
		isSent = false;
		send(frames, toChunk(3, lines("c")));
		assert.equal(toText(second), lines("b"));
		frames.letGo();
	}
});

test("streams that send the same event at a time send the same bytes, there until the last of them has sent them", () => {
	const chunk = toChunk(1, lines("a"));
	const [one, other, third] = [0, 1, 2].map(() => new OutputFrames({ masked: true }, () => true)) as [
		OutputFrames,
		OutputFrames,
		OutputFrames,
	];
	const sent = one.of(chunk);
	assert.equal(other.of(chunk), sent);
	one.of(toChunk(2, lines("b")));
	assert.equal(toText(sent), lines("a"));
	assert.equal(third.of(chunk), sent);
	other.letGo();
	assert.equal(toText(sent), lines("a"));
});

test("events that are at hand leave together in the order of their chunks, as many as fit, where only one stream sends them", () => {
	const frames = new OutputFrames({ masked: true }, () => true);
	const texts = [lines("a"), `${"\u0001".repeat(60_000)}\n`, lines("c"), lines("d"), lines("e"), lines("f"), lines("g"), lines("h")];
	const chunks = texts.map((text, index) => toChunk(index + 1, text));
	const sent: string[] = [];
	for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
		sent.push(Buffer.from(frames.ofSeveral(chunk, () => chunks.shift())).toString());
	}
	frames.letGo();
	const events = sent.join("").split(/(?<=\n\n)/);
	assert.deepEqual(
		events.map((event) => toText(Buffer.from(event))),
		texts,
	);
	assert.deepEqual(
		events.map((event) => Number(/^id: (\d+)$/m.exec(event)?.[1])),
		texts.map((_text, index) => index + 1),
	);
	assert.ok(sent.length <= 4, `${sent.length} pieces`);
});

test("few streams have memory for several events at a time, and what one has left another one gets", () => {
	const streams = Array.from({ length: 40 }, () => new OutputFrames({ masked: true }, () => true));
	const sendTwo = (frames: OutputFrames) => {
		const others = [toChunk(2, lines("b"))];
		frames.ofSeveral(toChunk(1, lines("a")), () => others.shift());
		return others.length === 0;
	};
	const served = streams.filter(sendTwo);
	assert.equal(served.length, 16);
	served[0]?.letGo();
	assert.deepEqual(streams.slice(-2).map(sendTwo), [true, false]);
	for (const frames of streams) frames.letGo();
});

test.run();
