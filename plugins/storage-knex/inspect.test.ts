import * as assert from "node:assert/strict";
import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { createTestDatabase, postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { createTrace } from "../../core/testing/storage/fixtures.ts";
import { type KnexStorageOptions, knexStorage } from "./index.ts";
import { listChanges, toContext, withDirectory } from "./storage-context.test-support.ts";

const names = listChanges();

async function inspect(options: KnexStorageOptions, directory: string) {
	const storage = knexStorage(options).create();
	try {
		const found = await storage.inspect?.(toContext(directory));
		if (found?.state !== "ready") return { found, traces: undefined, write: undefined };
		const traces = await storage.count("trace", {});
		const write = await storage.insert("trace", [createTrace("f".repeat(24))]).catch((error: Error) => error.message);
		return { found, traces, write };
	} finally {
		await storage.stop?.();
	}
}

test("a SQLite file is looked at without making one, and read without a write or a file beside it", () =>
	withDirectory(async (directory) => {
		const options = { client: "sqlite" } as const;
		const file = join(directory, "svc.db");
		assert.deepEqual((await inspect(options, directory)).found, { place: file, state: "new", changes: names, in_use: false });
		assert.deepEqual(await readdir(directory), []);
		const storage = knexStorage(options).create();
		await storage.start?.(toContext(directory));
		await storage.insert("trace", [createTrace("1".repeat(24))]);
		// While it is open elsewhere, with a log beside the file.
		const beside = await inspect(options, directory);
		assert.deepEqual([beside.traces, beside.found?.in_use], [1, true]);
		await storage.stop?.();
		assert.equal((await inspect(options, directory)).found?.in_use, false);
		await copyFile(file, join(directory, "alone.db"));
		const files = await readdir(directory);
		const alone = await inspect({ client: "sqlite", file: join(directory, "alone.db") }, directory);
		assert.deepEqual([alone.found?.state, alone.found?.changes, alone.traces], ["ready", [], 1]);
		assert.match(String(alone.write), /open for reading only/);
		// The log of a connection that is closed may go later, with the statements that were prepared on it.
		const more = (await readdir(directory)).filter((name) => !files.includes(name));
		assert.deepEqual(more, []);
	}));

postgresTest(test)("a PostgreSQL database is looked at without a table in it, and read without a write", async () => {
	const database = await createTestDatabase();
	try {
		const options = { client: "postgres", url: database.url } as const;
		for (const _ of ["once", "again"]) assert.deepEqual((await inspect(options, "/nonexistent")).found?.state, "new");
		const storage = knexStorage(options).create();
		await storage.start?.(toContext("/nonexistent"));
		await storage.insert("trace", [createTrace("1".repeat(24))]);
		await storage.stop?.();
		const { found, traces, write } = await inspect(options, "/nonexistent");
		assert.deepEqual([found?.state, found?.changes, traces], ["ready", [], 1]);
		assert.match(String(write), /read-only transaction/);
		assert.ok(found !== undefined && database.url.includes(found.place), found?.place);
	} finally {
		await database.drop();
	}
});

test.run();
