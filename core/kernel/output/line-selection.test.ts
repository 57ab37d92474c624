import * as assert from "node:assert/strict";
import { test } from "uvu";
import { collectGarbage } from "../../testing/collect-garbage.test-support.ts";
import { countLineEnds, type LineSelection, selectLines } from "./line-selection.ts";

async function* toPieces(text: string, length: number): AsyncGenerator<string> {
	for (let start = 0; start < text.length; start += length) yield text.slice(start, start + length);
}

async function select(pieces: AsyncIterable<string>, { from = 1, ...selection }: LineSelection & { readonly from?: number }) {
	let text = "";
	for await (const piece of selectLines(pieces, { line: from, skip: from - 1 }, selection)) text += piece;
	return text;
}

const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1} ${index % 7 === 0 ? "é needle" : ""}\n`);
const text = `${lines.join("")}\n\nthe last needle without an end`;

test("lines are the same wherever the pieces are cut", async () => {
	for (const length of [1, 2, 3, 7, 50, 10_000]) {
		assert.equal(await select(toPieces(text, length), {}), text);
		assert.equal(await select(toPieces(text, length), { from: 39 }), text.slice(text.indexOf("line 39")));
		assert.equal(await select(toPieces(text, length), { from: 3, lines: 2 }), `${lines[2]}${lines[3]}`);
		assert.equal(await select(toPieces(text, length), { from: 41, lines: 2 }), "\n\n");
		assert.equal(await select(toPieces(text, length), { from: 44 }), "");
		const found = [1, 8, 15, 22, 29, 36].map((number) => `${number}:${lines[number - 1]}`);
		const last = "43:the last needle without an end\n";
		assert.equal(await select(toPieces(text, length), { find: "needle" }), found.join("") + last);
		assert.equal(await select(toPieces(text, length), { find: "needle", from: 9, lines: 2 }), `${found[2]}${found[3]}`);
		assert.equal(await select(toPieces(text, length), { find: "n", from: 43 }), last);
		assert.equal(await select(toPieces(text, length), { find: "nowhere" }), "");
	}
	assert.equal(countLineEnds(text), 42);
});

test("a line of 256 MiB is searched to its end, in little memory", async () => {
	const piece = "x".repeat(65_536);
	const before = collectGarbage();
	let most = 0;
	async function* toLongLine() {
		for (let count = 1; count <= 4_096; count += 1) {
			yield piece;
			if (count % 1_024 === 0) most = Math.max(most, collectGarbage());
		}
		yield "nee";
		yield "dle\nnext\n";
	}
	const found = await select(toLongLine(), { find: "needle" });
	assert.equal(found, `1:${"x".repeat(4_096)} …\n`);
	assert.ok(most - before < 8 * 1_048_576, `${most - before} bytes`);
	assert.equal(await select(toLongLine(), { from: 2 }), "next\n");
});

test.run();
