import * as assert from "node:assert/strict";
import { test } from "uvu";
import { maxPythonLiteralLength, parsePythonLiteral } from "./python-literal.ts";

test("a literal is read as Python reads it, and anything else is none", () => {
	const read: readonly (readonly [text: string, value: unknown])[] = [
		["{'a': [True, None, -1.5], \"b\": ('x', 2)}", { a: [true, null, -1.5], b: ["x", 2] }],
		[" [ 1 , 2e3, .5,] ", [1, 2000, 0.5]],
		["(1)", 1],
		["(1,)", [1]],
		["()", []],
		["12345678901234567890", 12345678901234567890n],
		["'it\\'s \\x41\\u00e9\\n'", "it's Aé\n"],
		["{'__proto__': 1, 2: 'b'}", JSON.parse('{"__proto__": 1, "2": "b"}')],
	];
	for (const [text, value] of read) assert.deepEqual(parsePythonLiteral(text), value, text);
	for (const text of ["n", "1 + 1", "[n]", "'a' | upper", "{'a': }", "range(3)", "", "[1", "[1 2]", "'a", "1e999", "[".repeat(300)])
		assert.equal(parsePythonLiteral(text), undefined, text);
});

test("a literal of the greatest length is read in time that grows with its length alone, and a longer one is none", () => {
	const fill = (begin: string, item: string, end: string) =>
		begin + item.repeat(Math.floor((maxPythonLiteralLength - begin.length - end.length) / item.length)) + end;
	for (const text of [
		fill("[", "1,", "]"),
		fill("[", "(1),", "]"),
		fill("'", "\\n", "'"),
		fill("[", "{'a':1},", "]"),
		fill("[", " ", "]"),
	]) {
		// Time that grows with the square of the length would be minutes.
		assert.notEqual(parsePythonLiteral(text), undefined);
	}
	assert.equal(parsePythonLiteral(`[${"1,".repeat(maxPythonLiteralLength / 2)}]`), undefined);
});

test.run();
