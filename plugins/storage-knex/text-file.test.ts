// It replaces a function before the module that takes it is loaded.
// test-process: own
import * as assert from "node:assert/strict";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { test } from "uvu";
import { createChunk, createExecution } from "../../core/testing/storage/fixtures.ts";
import { toContext, withDirectory } from "./storage-context.test-support.ts";

// The module takes the function as it is loaded, so that the test replaces it before.
let synced = 0;
const { fdatasync } = fs;
fs.fdatasync = ((...given: Parameters<typeof fdatasync>) => {
	synced += 1;
	return fdatasync(...given);
}) as typeof fdatasync;
syncBuiltinESMExports();

test("large output is brought to the disk before a write that must not be lost", () =>
	withDirectory(async (directory) => {
		const { knexStorage } = await import("./index.ts");
		const storage = knexStorage({ client: "sqlite" }).create();
		await storage.start?.(toContext(directory));
		try {
			await storage.insert("output_chunk", [createChunk("1", 1, "x".repeat(100_000))]);
			assert.equal(synced, 0, "output alone waits for no disk");
			await storage.insert("execution", [createExecution()]);
			assert.equal(synced, 1);
			await storage.insert("execution", [createExecution()]);
			assert.equal(synced, 1, "nothing new is to be brought there");
		} finally {
			await storage.stop?.();
		}
	}));

test.run();
