import * as assert from "node:assert/strict";
import { test } from "uvu";
import { findChangedCalls } from "./counts.ts";

test("functions whose calls differ are listed, the largest difference first", () => {
	const base = new Map([
		["kept", 4],
		["removed", 1],
		["more", 2],
		["timer", 0.001],
		["insert (node)", 4],
	]);
	const candidate = new Map([
		["kept", 4.01],
		["more", 5],
		["added", 0.5],
		["timer", 0.01],
		["insert (node)", 5],
	]);
	assert.deepEqual(findChangedCalls(base, candidate), [
		"more: 2.00 → 5.00 calls",
		"removed: 1.00 → 0.00 calls",
		"added: 0.00 → 0.50 calls",
	]);
});

test("equal counts list nothing", () => {
	assert.deepEqual(findChangedCalls(new Map([["kept", 4]]), new Map([["kept", 4]])), []);
});

test.run();
