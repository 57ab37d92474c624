import { test } from "uvu";
import * as assert from "uvu/assert";
import { compareVersions, isInRange, isVersionRange } from "./version-range.ts";

for (const [version, range, expected] of [
	["3.0.0", ">=3.0.0, <4.0.0", true],
	["3.0.0", ">=3.0.0,<4.0.0", true],
	["4.0.0", ">=3.0.0, <4.0.0", false],
	["3.0.0", ">= 4.0.0", false],
	["3.0.0", ">3.0dev", true],
	["1.2.7", "1.2.x", true],
	["1.3.0", "1.2.x", false],
	["1.2.3", "==1.2.3", true],
	["1.2.3", "!=1.2.3", false],
	["1.2.4", "!=1.2.3, <2", true],
	["2.1.0", "!=1.2.3, <2", false],
	["1.2.4", "~1.2", true],
	["1.9.0", "^1.2.0 || ^3", true],
	["1.0.0", "about three", true],
	["1.0.0", "", true],
	["1.0.0", `>=1${" ".repeat(100_000)}`, true],
] as const) {
	test(`version ${version} is ${expected ? "" : "not "}in the range "${range.slice(0, 30)}"`, () => {
		assert.is(isInRange(version, range), expected);
	});
}

test("a range is told from a branch, a tag and a commit", () => {
	for (const text of ["1.2.3", "v1.2.3", "1.2.x", ">=1, <2", "~1.2", "1"]) assert.ok(isVersionRange(text), text);
	for (const text of ["master", "main", "stable-release", "8ad5cf0dd9", "feature/1.2", "", "x".repeat(10_000)])
		assert.not.ok(isVersionRange(text), text);
});

test("versions are compared part by part, and what is none is older", () => {
	assert.ok(compareVersions("1.10.0", "1.9.9") > 0);
	assert.ok(compareVersions("1.0.0-rc.1", "1.0.0") < 0);
	assert.is(compareVersions("v1.0.0", "1.0.0"), 0);
	assert.ok(compareVersions("master", "0.0.1") < 0);
	assert.is(compareVersions("a", "b"), 0);
});

test.run();
