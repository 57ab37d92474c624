import * as assert from "node:assert/strict";
import { test } from "uvu";
import { countNewlines } from "./count-newlines.ts";
import { reserveBuffer } from "./wasm-memory.ts";

test("line ends are counted wherever they stand, and nothing of an earlier text is", () => {
	for (const length of [200_001, 65_537, 65_536, 65_535, 33, 17, 16, 15, 1, 0]) {
		for (const every of [1, 3, 80]) {
			const text = Buffer.from(Array.from({ length }, (_none, index) => (index % every === 0 ? "\n" : "x")).join(""));
			assert.equal(countNewlines(text), Math.ceil(length / every));
			assert.equal(countNewlines(text.subarray(1)), Math.max(0, Math.ceil(length / every) - 1));
		}
	}
});

test("they are counted where the text lies, and none behind it", () => {
	const piece = reserveBuffer(1_000) as Buffer;
	piece.fill("\n");
	for (const length of [0, 1, 16, 33, 900]) assert.equal(countNewlines(piece.subarray(7, 7 + length)), length);
});

test.run();
