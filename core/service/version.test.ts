import * as assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "uvu";
import { version } from "./version.ts";

test("sources and what is built of them say the version of the package", () => {
	const { version: expected } = JSON.parse(readFileSync("package.json", "utf8"));
	assert.equal(version, expected);
	assert.equal(execFileSync(process.execPath, ["dist/plugins/_shipped/main.js", "--version"], { encoding: "utf8" }).trim(), expected);
});

test.run();
