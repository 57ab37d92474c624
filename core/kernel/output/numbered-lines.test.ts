import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { OutputType } from "../../contract/index.ts";
import { LineCollector, type LineFilter } from "./line-selection.ts";

type Piece = readonly [type: OutputType, text: string];

const pieces: readonly Piece[] = [
	["stdout", "one\ntwo\nthr"],
	["stdout", "ee\n"],
	["stderr", "it broke\nmore"],
	["stdout", " of it\n\nall fine, no ERR"],
	["stdout", "OR at all\nlast"],
];
const whole = ["one", "two", "three", "it broke", "more of it", "", "all fine, no ERROR at all", "last"];

function read(
	given: readonly Piece[],
	{ line = 1, most = 100, ...search }: LineFilter & { readonly line?: number; readonly most?: number },
) {
	const found = new LineCollector({ line, skip: line - 1 }, { limit: most, search });
	for (const [index, [output_type, text]] of given.entries()) {
		if (!found.isComplete) found.addChunk(text, { output_type, timestamp: `t${index}` });
	}
	found.end();
	return { lines: found.takeLines() };
}

/** The same text in pieces of this length. */
const cut = (length: number): readonly Piece[] =>
	pieces.flatMap(([type, text]) =>
		Array.from({ length: Math.ceil(text.length / length) }, (_, index): Piece => [type, text.slice(index * length, (index + 1) * length)]),
	);

test("lines are numbered and told as of the piece in which they begin, wherever the output is cut", () => {
	for (const length of [1, 2, 3, 7, 1_000]) {
		const { lines } = read(cut(length), {});
		assert.deepEqual(
			lines.map(({ text }) => text),
			whole,
		);
		assert.deepEqual(
			lines.map(({ line }) => line),
			whole.map((_, index) => index + 1),
		);
		assert.deepEqual(
			lines.map(({ output_type }) => output_type),
			["stdout", "stdout", "stdout", "stderr", "stderr", "stdout", "stdout", "stdout"],
		);
		assert.deepEqual(
			read(cut(length), { line: 3, most: 2 }).lines.map(({ line, text }) => [line, text]),
			[
				[3, "three"],
				[4, "it broke"],
			],
		);
	}
	assert.deepEqual(
		read(pieces, {}).lines.map(({ timestamp }) => timestamp),
		["t0", "t0", "t0", "t2", "t2", "t3", "t3", "t4"],
	);
});

test("lines with a text are found, and lines that tell of trouble, also where a piece ends within the word", () => {
	for (const length of [1, 2, 3, 7, 1_000]) {
		const numbers = (search: Parameters<typeof read>[1]) => read(cut(length), search).lines.map(({ line }) => line);
		assert.deepEqual(numbers({ find: "three" }), [3]);
		assert.deepEqual(numbers({ find: "of it" }), [5]);
		assert.deepEqual(numbers({ find: "l" }), [7, 8]);
		assert.deepEqual(numbers({ find: "nowhere" }), []);
		assert.deepEqual(numbers({ isErrorsOnly: true }), [4, 5, 7]);
		assert.deepEqual(numbers({ isErrorsOnly: true, line: 5, most: 1 }), [5]);
	}
});

test("a line of any length is told with its beginning and its length, and what is looked for is found at its end", () => {
	const long: readonly Piece[] = [
		...Array.from({ length: 100 }, (): Piece => ["stdout", "x".repeat(65_536)]),
		["stdout", "needle\nnext\n"],
	];
	const [line, next] = read(long, {}).lines;
	assert.deepEqual([line?.text.length, line?.length, next?.text], [4_096, 6_553_606, "next"]);
	assert.deepEqual(
		read(long, { find: "xneedle" }).lines.map((each) => each.line),
		[1],
	);
});

test.run();
