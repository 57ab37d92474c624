import * as assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { createTrace } from "../../core/testing/storage/fixtures.ts";
import { knexStorage } from "./index.ts";
import type { LibsqlDatabase } from "./libsql.ts";
import { spawnChild } from "./spawn-child.test-support.ts";
import { assertSchema, readRows, withFile } from "./sqlite-schema.test-support.ts";
import { listChanges, toContext, withDirectory } from "./storage-context.test-support.ts";

async function openAndStop(directory: string): Promise<void> {
	const storage = knexStorage({ client: "sqlite" }).create();
	try {
		await storage.start?.(toContext(directory));
	} finally {
		await storage.stop?.();
	}
}

const look = <T>(directory: string, run: (database: LibsqlDatabase) => T) => withFile(join(directory, "svc.db"), run);

test("the migrated tables are what the entity kinds say", () =>
	withDirectory(async (directory) => {
		await openAndStop(directory);
		await look(directory, assertSchema);
	}));

test("opening again changes nothing", () =>
	withDirectory(async (directory) => {
		const readSchema = () =>
			look(directory, (database) => readRows(database, "select sql from sqlite_master union all select name from migrations"));
		await openAndStop(directory);
		const before = await readSchema();
		await openAndStop(directory);
		assert.deepEqual(await readSchema(), before);
	}));

test("a database of a newer version is refused, naming what is unknown", () =>
	withDirectory(async (directory) => {
		await openAndStop(directory);
		await look(directory, (database) => database.exec("insert into migrations (name, batch) values ('9999-later', 2)"));
		await assert.rejects(openAndStop(directory), (error) => {
			assert.ok(isSvcError(error, "SVC_CONFIG"));
			assert.match(error.message, /newer version.*9999-later/);
			return true;
		});
		await look(directory, (database) => database.exec("delete from migrations where name = '9999-later'"));
		await openAndStop(directory);
	}));

test("a plan names what a start would run, and makes nothing", () =>
	withDirectory(async (directory) => {
		const names = listChanges();
		const plan = () => knexStorage({ client: "sqlite" }).create().plan?.(toContext(directory));
		assert.deepEqual(await plan(), names);
		assert.deepEqual(await readdir(directory), []);
		await openAndStop(directory);
		assert.deepEqual(await plan(), []);
		await look(directory, (database) => database.exec(`delete from migrations where name = '${names.at(-1)}'`));
		assert.deepEqual(await plan(), names.slice(-1));
		await look(directory, (database) => database.exec("insert into migrations (name, batch) values ('9999-later', 2)"));
		await assert.rejects(
			async () => plan(),
			(error) => isSvcError(error, "SVC_CONFIG") && /newer version/.test(error.message),
		);
		await writeFile(join(directory, "svc.db"), "no database, but long enough to be taken for one".repeat(100));
		await assert.rejects(
			async () => plan(),
			(error) => isSvcError(error, "SVC_CONFIG") && /is not an SQLite database/.test(error.message),
		);
	}));

test("a migration that was killed anywhere is completed at the next opening", async () => {
	const killAndOpen = (delay: number) =>
		withDirectory(async (directory) => {
			const child = spawnChild("open", directory);
			await child.waitForLines(1);
			// The random moment is the point here; what follows holds wherever it falls.
			await new Promise((resolve) => setTimeout(resolve, delay));
			await child.kill();
			const storage = knexStorage({ client: "sqlite" }).create();
			await storage.start?.(toContext(directory));
			await storage.insert("trace", [createTrace("after")]);
			assert.equal(await storage.count("trace", {}), 1);
			await storage.stop?.();
		});
	for (let round = 0; round < 5; round++) await Promise.all([killAndOpen(Math.random() * 100), killAndOpen(100 + Math.random() * 150)]);
});

test.run();
