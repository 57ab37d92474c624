import * as assert from "node:assert/strict";
import { test } from "uvu";
import { matchesPatterns } from "./host-pattern.ts";

test("patterns name hosts as ssh reads them", () => {
	for (const [patterns, name, expected] of [
		["web1", "web1", true],
		["WEB1", "web1", true],
		["web1", "web10", false],
		["web?", "web1", true],
		["web?", "web", false],
		["*", "anything", true],
		["*.example.com", "a.b.example.com", true],
		["*.example.com", "example.com", false],
		["a.c", "abc", false],
		["a*b*c**", "a-b-b-c", true],
		["[::1]", "[::1]", true],
		["*,!web1", "web1", false],
		["*,!web1", "web2", true],
	] as const) {
		assert.equal(matchesPatterns(patterns.split(","), name), expected, `${patterns} ${name}`);
	}
	assert.equal(matchesPatterns([`${"*a".repeat(100)}b`], "a".repeat(250)), false);
});

test.run();
