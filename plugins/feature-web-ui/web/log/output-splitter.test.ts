import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { OutputLineRecord } from "../../../_shipped/client.ts";
import { LineCache } from "./line-cache.ts";
import { OutputSplitter } from "./output-splitter.ts";

const toLine = (line: number, text: string): OutputLineRecord => ({
	line,
	text,
	length: text.length,
	output_type: "stdout",
	timestamp: "t",
});
const toChunk = (event_id: string, data: string) => ({ event_id, data, output_type: "stderr" as const, timestamp: "u" });
const toEnd = (lines: readonly OutputLineRecord[], event_id: string, last_line_open: boolean) => ({
	total: lines.at(-1)?.line ?? 0,
	next_line: null,
	lines,
	event_id,
	last_line_open,
});

test("what is printed goes on where the lines that were read end, and counts once however often it comes", () => {
	const printed = new OutputSplitter(toEnd([toLine(1, "one"), toLine(2, "tw")], "7", true), 0);
	assert.deepEqual(printed.take(toChunk("7", "seen\n")), []);
	const came = printed.take(toChunk("8", "o\n\nfour\nfi"));
	assert.deepEqual(
		came.map(({ line, text, output_type }) => [line, text, output_type]),
		[
			[2, "two", "stdout"],
			[3, "", "stderr"],
			[4, "four", "stderr"],
			[5, "fi", "stderr"],
		],
	);
	assert.deepEqual(printed.take(toChunk("8", "o\n\nfour\nfi")), []);
	assert.equal(printed.take(toChunk("9", `${"v".repeat(5_000)}e`))[0]?.length, 5_003);
	assert.equal(printed.take(toChunk("10", "\n"))[0]?.text.length, 4_096);
	assert.deepEqual([printed.total, printed.last], [5, 10]);
	assert.equal(new OutputSplitter(toEnd([], "3", false), 200).take(toChunk("4", "next"))[0]?.line, 201);
});

test("lines that are read and lines that come meanwhile make one whole, whichever is there first", () => {
	const pages = new LineCache();
	// Read before the line had ended, and told after: nothing here has seen how it went on.
	pages.keep(0, toEnd([toLine(1, "one"), toLine(2, "tw")], "7", true), 8);
	assert.deepEqual([pages.count(0), pages.line(2)], [1, undefined]);
	pages.add(toLine(3, "three"));
	assert.equal(pages.line(3), undefined);
	pages.keep(0, toEnd([toLine(1, "one"), toLine(2, "two")], "8", false), 8);
	pages.add(toLine(3, "thr"));
	pages.add(toLine(3, "three"));
	pages.keep(0, toEnd([toLine(1, "one"), toLine(2, "two"), toLine(3, "th")], "9", true), 9);
	assert.deepEqual(
		[1, 2, 3, 4].map((line) => pages.line(line)?.text),
		["one", "two", "three", undefined],
	);
	pages.add(toLine(201, "next page"));
	assert.equal(pages.line(201)?.text, "next page");
	for (let page = 2; page < 60; page += 1) pages.keep(page, toEnd([toLine(page * 200 + 1, "x")], "9", false), 9);
	assert.deepEqual([pages.count(0), pages.count(59)], [0, 1]);
});

test.run();
