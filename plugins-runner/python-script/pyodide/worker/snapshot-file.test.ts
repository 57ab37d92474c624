import * as assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { packSnapshot, readSnapshot } from "./snapshot-file.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-snapshot-"));
const file = join(directory, "one.snapshot");
test.after(() => rmSync(directory, { recursive: true }));

test("a snapshot is read as it was written, and refused if it is damaged, cut off, empty, missing or made from other sources", () => {
	const content = Buffer.alloc(100_000, "interpreter");
	const packed = packSnapshot(content, "recipe");
	writeFileSync(file, packed);
	assert.deepEqual(Buffer.from(readSnapshot(file, "recipe") ?? []), content);
	assert.equal(readSnapshot(file, "another recipe"), undefined);
	for (const broken of [Buffer.from(packed).fill(0, 50_000, 50_100), packed.subarray(0, 60_000), packed.subarray(0, 20), Buffer.alloc(0)]) {
		writeFileSync(file, broken);
		assert.equal(readSnapshot(file, "recipe"), undefined);
	}
	rmSync(file);
	assert.equal(readSnapshot(file, "recipe"), undefined);
});

test.run();
