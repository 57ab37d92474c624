import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findPagedText, pageSize, toPaged } from "./pooled-text.ts";

test("a text is brought into a page without memory beside it that would wait to be collected", () => {
	// Pages are made as they are needed, and used again.
	toPageAndBack("a".repeat(pageSize));
	const before = process.memoryUsage().arrayBuffers;
	for (let round = 0; round < 16; round += 1) toPageAndBack("b".repeat(pageSize));
	assert.ok(process.memoryUsage().arrayBuffers - before < pageSize, "each text left bytes behind");
});

test("a text in a page is the same again; what is short or has other characters stays as it is", () => {
	const data = "0123456789abcdef".repeat(1_024);
	const record = toPaged({ sequence: 3, data });
	assert.equal(record?.data, data);
	assert.equal(record?.sequence, 3);
	assert.equal(toPaged({ data: "short" }), undefined);
	assert.equal(toPaged({ data: `${data}ü` }), undefined);
	assert.equal(toPaged({ data: "x".repeat(pageSize + 1) }), undefined);
});

function toPageAndBack(data: string): void {
	const record = toPaged({ data });
	assert.ok(record !== undefined);
	findPagedText(record)?.release();
}

test.run();
