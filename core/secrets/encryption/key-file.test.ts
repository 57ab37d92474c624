import * as assert from "node:assert/strict";
import fs, { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";

/** What has happened to key files, in order. */
const steps: string[] = [];
for (const name of ["fsyncSync", "linkSync", "renameSync"] as const) {
	const original = fs[name] as (...given: unknown[]) => void;
	Object.assign(fs, {
		[name](...given: unknown[]) {
			steps.push(name);
			original(...given);
		},
	});
}
// The module takes the functions as it is loaded.
syncBuiltinESMExports();

test("a key file is on the disk before it has its name, when it is made and when it is changed", async () => {
	const { addKey, changeKeyFile, createKeyFile, readKeyFile } = await import("./key-file.ts");
	const directory = mkdtempSync(join(tmpdir(), "svc-key-file-"));
	const path = join(directory, "keys", "key.json");
	try {
		assert.equal(createKeyFile(path), true);
		const before = readKeyFile(path);
		assert.equal(createKeyFile(path), false);
		assert.deepEqual(readKeyFile(path), before);
		assert.deepEqual(steps.splice(0, 2), ["fsyncSync", "linkSync"]);
		steps.length = 0;
		const after = changeKeyFile(path, addKey);
		assert.deepEqual(steps, ["fsyncSync", "renameSync"]);
		assert.deepEqual(Object.keys(after.keys).length, 2);
		assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), after);
		assert.equal(statSync(path).mode & 0o777, 0o600);
		assert.equal(existsSync(`${path}.lock`), false);
	} finally {
		rmSync(directory, { recursive: true });
	}
});

test.run();
