import * as assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "uvu";

const directory = mkdtempSync(join(tmpdir(), "svc-embed-"));
const file = join(import.meta.dirname, "embed.ts");

test.after(() => rmSync(directory, { recursive: true }));

test("the program runs a command, prints what happens and ends by itself", async () => {
	const env = { ...process.env, SVC_DATA_DIR: directory };
	const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--import", "tsx", file], { env });
	assert.equal(stderr, "");
	for (const step of [1, 2, 3]) assert.match(stdout, new RegExp(`^stdout: step ${step}$`, "m"));
	const states = [...stdout.matchAll(/^core\.local is (\w+)$/gm)].map(([, state]) => state);
	assert.deepEqual(states, ["scheduled", "running", "succeeded"]);
	assert.match(stdout, /^execution \w{24} succeeded after [\d.]+ s$/m);
});

test("the guide shows the program as it is here", () => {
	const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/embed-the-engine.md"), "utf8");
	assert.ok(guide.includes(readFileSync(file, "utf8")));
});

test.run();
