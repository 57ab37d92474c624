import * as assert from "node:assert/strict";
import { test } from "uvu";
import { compilePythonRegExp } from "./python-regexp.ts";

test("a closing bracket belongs to a set only directly after the bracket that opens it", () => {
	const rows: readonly (readonly [pattern: string, matching: readonly string[], other: readonly string[]])[] = [
		["^[a[]$", ["a", "["], ["]", "a]"]],
		["^[\\[]$", ["["], ["]", "\\"]],
		["^[a[]b$", ["ab", "[b"], ["]b"]],
		["^a[b\\[]$", ["ab", "a["], ["a]"]],
		["^x[()\\[]y$", ["x(y", "x)y", "x[y"], ["x]y"]],
		["^[^[^]$", ["a", "]"], ["[", "^"]],
		["^\\[]$", ["[]"], ["["]],
		["^[]a]$", ["]", "a"], ["[", "a]"]],
		["^[^]a]$", ["b", "["], ["]", "a"]],
		["^[a[][]]$", ["a]", "[]"], ["a[", "]]"]],
	];
	for (const [pattern, matching, other] of rows) {
		for (const text of matching) assert.equal(compilePythonRegExp(pattern).test(text), true, `${pattern} matches ${text}`);
		for (const text of other) assert.equal(compilePythonRegExp(pattern).test(text), false, `${pattern} does not match ${text}`);
	}
});

test.run();
