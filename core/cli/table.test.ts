import * as assert from "node:assert/strict";
import stringWidth from "string-width";
import { test } from "uvu";
import { paintFor } from "./output-capabilities.ts";
import { toTable } from "./table.ts";

const plain = paintFor({ hasColours: false });
const unlimited = Number.POSITIVE_INFINITY;

/** The table as a file gets it: all columns, and times as they are. */
const toFileTable = (columns: readonly string[], rows: readonly (readonly string[])[], width = unlimited) =>
	toTable(columns, rows, { width, paint: plain, now: undefined, keepAll: true }).text;

test("columns are as wide as their widest cell, and have no frames", () => {
	const rows = [
		["1", "succeeded"],
		["22", ""],
	];
	assert.equal(toFileTable(["id", "status"], rows), "id  status\n1   succeeded\n22\n");
});

test("a table without a width has one line for each row, however long", () => {
	assert.equal(toFileTable(["ref", "text"], [["core.local", "x".repeat(500)]]), `ref         text\ncore.local  ${"x".repeat(500)}\n`);
});

test("a table that is too wide wraps its widest column and loses nothing", () => {
	const table = toFileTable(["ref", "description"], [["core.local", "x".repeat(100)]], 60);
	assert.ok(table.split("\n").every((line) => line.length <= 60));
	assert.equal(table.replace(/[^x]/g, "").length, 100);
	assert.match(table, /core\.local/);
});

test("cells of several lines stay in their column", () => {
	assert.equal(toFileTable(["a", "b"], [["1\n2", "x"]]), "a  b\n1  x\n2\n");
});

const id = "65f0a1b2c3d4e5f6a7b8c9d0";
const columns = ["id", "action.ref", "context.user", "status", "start_timestamp", "end_timestamp"];
const rows = [
	[id, "core.local", "admin", "succeeded", "2031-03-04T09:15:02.123456Z", "2031-03-04T09:16:02.123456Z"],
	[id, "night_shift.sweep_the_yard", "maria", "failed", "2031-03-02T09:15:02.123456Z", "2030-03-04T09:16:02.123456Z"],
];
const now = Date.parse("2031-03-04T09:18:02Z");
const forScreen = (width: number) => ({ width, paint: plain, now, keepAll: false });

test("a table never breaks an id, whatever room there is", () => {
	for (const width of [20, 40, 60, 80, 100, 121, 150]) {
		const whole = toFileTable(columns, rows, width);
		const { text } = toTable(columns, rows, forScreen(width));
		for (const table of [whole, text]) assert.equal(table.split(id).length, 3, `${width}\n${table}`);
		if (width >= 24)
			assert.ok(
				text.split("\n").every((line) => line.length <= width),
				`${width}\n${text}`,
			);
	}
});

test("a table shows times as they are if it has none to compare them with", () => {
	assert.match(toFileTable(columns, rows), / {2}succeeded {2}2031-03-04T09:15:02\.123456Z {2}2031-03-04T09:16:02\.123456Z\n/);
});

test("for people times are short, columns fit and names break at their dots", () => {
	const { text, hidden } = toTable(columns, rows, forScreen(80));
	assert.equal(
		text,
		[
			"id                        action.ref  context.  status     start_     end_",
			"                                      user                 timestamp  timestamp",
			`${id}  core.local  admin     succeeded  2m ago     1m ago`,
			`${id}  night_      maria     failed     2d ago     2030-03-04`,
			"                          shift.",
			"                          sweep_the_",
			"                          yard",
			"",
		].join("\n"),
	);
	assert.deepEqual(hidden, []);
});

test("columns that there is no room for are left out by name", () => {
	const { text, hidden } = toTable(columns, rows, forScreen(50));
	assert.deepEqual(hidden, ["status", "start_timestamp", "end_timestamp"]);
	assert.ok(text.split("\n").every((line) => line.length <= 50));
});

test("wide characters take the room that they take on a screen", () => {
	const table = toFileTable(
		["name", "n"],
		[
			["日本語", "1"],
			["e\u0301té", "2"],
			["👩‍🚒", "3"],
		],
	);
	const widths = table
		.trimEnd()
		.split("\n")
		.map((line) => stringWidth(line));
	assert.deepEqual(new Set(widths), new Set([9]));
	const narrow = toTable(["name"], [["漢字".repeat(20)]], forScreen(20));
	assert.ok(narrow.text.split("\n").every((line) => stringWidth(line) <= 20));
	assert.equal(narrow.text.match(/漢字/g)?.length ?? 0, 20);
});

test("only headers and states are coloured", () => {
	const { text } = toTable(["id", "status"], [["failed", "failed"]], { ...forScreen(80), paint: paintFor({ hasColours: true }) });
	assert.equal(text, "\u001b[1mid\u001b[22m      \u001b[1mstatus\u001b[22m\nfailed  \u001b[31mfailed\u001b[39m\n");
});

test.run();
