import * as assert from "node:assert/strict";
import stringWidth from "string-width";
import { test } from "uvu";
import { paintFor } from "./output-capabilities.ts";
import { toScreenTable, toTable } from "./table.ts";

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

const id = "65f0a1b2c3d4e5f6a7b8c9d0";
const columns = ["id", "action.ref", "context.user", "status", "start_timestamp", "end_timestamp"];
const rows = [
	[id, "core.local", "admin", "succeeded", "2031-03-04T09:15:02.123456Z", "2031-03-04T09:16:02.123456Z"],
	[id, "night_shift.sweep_the_yard", "maria", "failed", "2031-03-02T09:15:02.123456Z", "2030-03-04T09:16:02.123456Z"],
];
const now = Date.parse("2031-03-04T09:18:02Z");
const plain = paintFor({ hasColours: false });

test("a table never breaks an id, whatever room there is", () => {
	for (const width of [20, 40, 60, 80, 100, 121, 150]) {
		const bordered = toTable(columns, rows, width);
		const { text } = toScreenTable(columns, rows, { width, paint: plain, now });
		for (const table of [bordered, text]) assert.equal(table.split(id).length, 3, `${width}\n${table}`);
		if (width >= 24)
			assert.ok(
				text.split("\n").every((line) => line.length <= width),
				`${width}\n${text}`,
			);
	}
});

test("a table that fits shows times as they are, a narrower one to the second", () => {
	assert.match(toTable(columns, rows, 150), /2031-03-04T09:15:02\.123456Z/);
	assert.match(toTable(columns, rows, 120), /\| 2031-03-04T09:15:02Z \|/);
});

test("for people times are short, columns fit and names break at their dots", () => {
	const { text, hidden } = toScreenTable(columns, rows, { width: 80, paint: plain, now });
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
	const { text, hidden } = toScreenTable(columns, rows, { width: 50, paint: plain, now });
	assert.deepEqual(hidden, ["status", "start_timestamp", "end_timestamp"]);
	assert.ok(text.split("\n").every((line) => line.length <= 50));
});

test("wide characters take the room that they take on a screen", () => {
	const table = toTable(
		["name", "n"],
		[
			["日本語", "1"],
			["e\u0301té", "2"],
			["👩‍🚒", "3"],
		],
		80,
	);
	const widths = table
		.trimEnd()
		.split("\n")
		.map((line) => stringWidth(line));
	assert.deepEqual(new Set(widths), new Set([14]));
	const narrow = toScreenTable(["name"], [["漢字".repeat(20)]], { width: 20, paint: plain, now });
	assert.ok(narrow.text.split("\n").every((line) => stringWidth(line) <= 20));
	assert.equal(narrow.text.match(/漢字/g)?.length ?? 0, 20);
});

test("only headers and states are coloured", () => {
	const { text } = toScreenTable(["id", "status"], [["failed", "failed"]], { width: 80, paint: paintFor({ hasColours: true }), now });
	assert.equal(text, "\u001b[1mid\u001b[22m      \u001b[1mstatus\u001b[22m\nfailed  \u001b[31mfailed\u001b[39m\n");
});

test.run();
