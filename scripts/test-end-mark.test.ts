import * as assert from "node:assert/strict";
import { test } from "uvu";
import { readEndMark, toEndMark, withoutEndMark } from "./test-end-mark.ts";

const end = { code: 1, processorSeconds: 0.25, memory: 1_024 };

test("the mark at the end of an output says how the file ended, and is not part of what the file printed", () => {
	const output = `• • ✘ (2 / 3)\n${toEndMark(end)}`;
	assert.deepEqual(readEndMark(output), end);
	assert.equal(withoutEndMark(output), "• • ✘ (2 / 3)\n");
});

test("an output without a mark, or with the first half of one, has not ended", () => {
	const mark = toEndMark(end);
	for (const output of ["", "• •", `• •${mark.slice(0, 9)}`, mark.slice(0, -1)]) assert.equal(readEndMark(output), undefined, output);
});

test.run();
