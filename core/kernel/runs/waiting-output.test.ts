import * as assert from "node:assert/strict";
import { test } from "uvu";
import { WaitingOutput } from "./waiting-output.ts";

const timestamp = () => "2031-03-04T09:15:02.518273Z";
const toReleased = (data: string) => ({ data, ranges: [], blanks: [] });

/** What becomes of texts that come faster than they are stored. */
function toChunks(texts: readonly string[]): readonly string[] {
	const waiting = new WaitingOutput();
	for (const text of texts) waiting.add("stdout", toReleased(text), timestamp);
	const chunks: string[] = [];
	while (!waiting.isEmpty) chunks.push(...waiting.take().map(({ data }) => data));
	return chunks;
}

test("text that is a little longer than a chunk stays whole", () => {
	const texts = Array.from({ length: 20 }, (_, index) => "x".repeat(65_500 + index * 10));
	assert.deepEqual(toChunks(texts), texts);
});

test("a long text is cut at ends of lines", () => {
	const text = Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join("");
	const chunks = toChunks([text]);
	assert.equal(chunks.join(""), text);
	assert.ok(chunks.length <= Math.ceil(text.length / 65_000), `${chunks.length} chunks`);
	for (const chunk of chunks) assert.ok(chunk.endsWith("\n") && chunk.length <= 81_920);
});

test("a long line is cut where a chunk is full, but not within a character", () => {
	const text = `x${"🔑".repeat(200_000)}`;
	const chunks = toChunks([text]);
	assert.equal(chunks.join(""), text);
	for (const chunk of chunks) assert.ok(!/\p{Surrogate}/u.test(chunk) && chunk.length <= 81_920);
});

test("secrets are marked at their places in each part", () => {
	const waiting = new WaitingOutput();
	const data = `${"a".repeat(60_000)}\n${"b".repeat(60_000)}`;
	waiting.add("stdout", { data, ranges: [10, 20, 59_990, 60_010], blanks: [] }, timestamp);
	assert.deepEqual(
		waiting.take().map(({ data: text, ranges }) => [text.length, ranges]),
		[
			[60_001, [10, 20, 59_990, 60_001]],
			[60_000, [0, 9]],
		],
	);
});

test.run();
