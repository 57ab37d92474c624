import * as assert from "node:assert/strict";
import { test } from "uvu";
import { toTable } from "./table.ts";

test("columns are as wide as their widest cell", () => {
	assert.equal(
		toTable(
			["id", "status"],
			[
				["1", "succeeded"],
				["22", ""],
			],
			80,
		),
		[
			"+----+-----------+",
			"| id | status    |",
			"+----+-----------+",
			"| 1  | succeeded |",
			"| 22 |           |",
			"+----+-----------+",
			"",
		].join("\n"),
	);
});

test("a table that is too wide wraps its widest column and loses nothing", () => {
	const table = toTable(["ref", "description"], [["core.local", "x".repeat(100)]], 60);
	assert.ok(table.split("\n").every((line) => line.length <= 60));
	assert.equal(table.replace(/[^x]/g, "").length, 100);
	assert.match(table, /core\.local/);
});

test("cells of several lines stay in their column", () => {
	assert.match(toTable(["a", "b"], [["1\n2", "x"]], 80), /\| 1 \| x \|\n\| 2 \| {3}\|/);
});

test.run();
