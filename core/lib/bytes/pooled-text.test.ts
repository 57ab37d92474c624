import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findPooledText, maxPooledTextLength, toPooled } from "./pooled-text.ts";

test("a text is brought into a page without memory beside it that would wait to be collected", () => {
	// Pages are made as they are needed, and used again.
	toPageAndBack("a".repeat(maxPooledTextLength));
	const before = process.memoryUsage().arrayBuffers;
	for (let round = 0; round < 16; round += 1) toPageAndBack("b".repeat(maxPooledTextLength));
	assert.ok(process.memoryUsage().arrayBuffers - before < maxPooledTextLength, "each text left bytes behind");
});

test("a text in a page is the same again; what is short or has other characters stays as it is", () => {
	const data = "0123456789abcdef".repeat(1_024);
	const record = toPooled({ sequence: 3, data });
	assert.equal(record?.data, data);
	assert.equal(record?.sequence, 3);
	assert.equal(toPooled({ data: "short" }), undefined);
	assert.equal(toPooled({ data: `${data}ü` }), undefined);
	assert.equal(toPooled({ data: "x".repeat(maxPooledTextLength + 1) }), undefined);
});

function toPageAndBack(data: string): void {
	const record = toPooled({ data });
	assert.ok(record !== undefined);
	findPooledText(record)?.release();
}

test.run();
