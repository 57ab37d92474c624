import { mkdtempSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { test } from "uvu";
import { chosenExtent } from "../../core/testing/extent.test-support.ts";
import { postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import type { OpenedStorage } from "../../core/testing/storage/check.ts";
import { testStorage } from "../../core/testing/storage-suite.ts";
import { type KnexStorageOptions, knexStorage } from "./index.ts";
import { dropEmptyDatabase, emptyDatabase } from "./postgres-database.test-support.ts";
import { toContext } from "./storage-context.test-support.ts";

async function openStorage(options: KnexStorageOptions, remove: () => Promise<void>): Promise<OpenedStorage> {
	const start = async () => {
		const storage = knexStorage(options).create();
		await storage.start?.(toContext("/nonexistent"));
		return storage;
	};
	let storage = await start();
	return {
		storage,
		async reopen() {
			await storage.stop?.();
			storage = await start();
			return storage;
		},
		async stop() {
			await storage.stop?.();
			await remove();
		},
	};
}

const templates = mkdtempSync(join(tmpdir(), "svc-storage-"));
let template: Promise<string> | undefined;

/** A file with the tables: a copy is faster than making them for each test. */
async function makeTemplate(): Promise<string> {
	const file = join(templates, "svc.db");
	const { stop } = await openStorage({ client: "sqlite", file }, async () => {});
	await stop();
	return file;
}

testStorage({
	test,
	name: "sqlite",
	create: async () => {
		const directory = await mkdtemp(join(tmpdir(), "svc-storage-"));
		const file = join(directory, "svc.db");
		await copyFile(await (template ??= makeTemplate()), file);
		return openStorage({ client: "sqlite", file }, () => rm(directory, { recursive: true }));
	},
});

testStorage({
	test: postgresTest(test),
	name: "postgres",
	create: async () => openStorage({ client: "postgres", url: await emptyDatabase(), pool_size: 5 }, async () => {}),
});

if (chosenExtent() === "full") {
	testStorage({
		test: postgresTest(test),
		name: "postgres, a pool of the host",
		create: async () => {
			const pool = new Pool({ connectionString: await emptyDatabase() });
			pool.on("error", () => {});
			return openStorage({ client: "postgres", pool }, () => pool.end());
		},
	});
}

test.after(dropEmptyDatabase);
test.after(() => rm(templates, { recursive: true }));

test.run();
