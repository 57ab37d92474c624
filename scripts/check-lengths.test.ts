import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findTooLong } from "./check-lengths.ts";

const lines = (count: number) => '\twork("é");\n'.repeat(count);

test("a function that fits a screen is not too long, and one more line is", () => {
	assert.deepEqual(findTooLong("a.ts", `function fits() {\n${lines(58)}}\n`), []);
	assert.deepEqual(findTooLong("a.ts", `#!/usr/bin/env node\n\nfunction f() {\n${lines(59)}}\n`), ["a.ts:3 f has 61 lines; 60 at most"]);
});

test("methods, arrow functions and members of objects are functions", () => {
	const text = `class A {\n#m() {\n${lines(59)}}\n}\nconst b = () => {\n${lines(59)}};\nconst c = {\nd() {\n${lines(59)}},\n};\n`;
	assert.deepEqual(
		findTooLong("a.ts", text).map((problem) => problem.split(" ", 2)[1]),
		["m", "b", "d"],
	);
});

test("a function is measured with those inside of it", () => {
	const inner = `\tfunction inner() {\n${lines(28)}\t}\n`;
	assert.deepEqual(findTooLong("a.ts", `function f() {\n${inner}${lines(28)}}\n`), []);
	assert.deepEqual(findTooLong("a.ts", `function f() {\n${inner}${inner}}\n`), ["a.ts:1 f has 62 lines; 60 at most"]);
});

test("a class of 250 lines is not too long, and one more line is", () => {
	assert.deepEqual(findTooLong("a.ts", `class A {\n${"\t#x = 1;\n".repeat(248)}}\n`), []);
	assert.deepEqual(findTooLong("a.ts", `class A {\n${"\t#x = 1;\n".repeat(249)}}\n`), ["a.ts:1 A has 251 lines; 250 at most"]);
});

test("a file is not too long, unless it is a table", () => {
	assert.deepEqual(findTooLong("a.ts", "work();\n".repeat(501)), ["a.ts has 501 lines; 500 at most, unless it is a table"]);
	assert.deepEqual(findTooLong("core/contract/options.ts", "work();\n".repeat(301)), []);
});

test.run();
