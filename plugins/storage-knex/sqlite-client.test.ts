import * as assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError, type Storage } from "../../core/contract/index.ts";
import { createChunk, createExecution, createTrace } from "../../core/testing/storage/fixtures.ts";
import { importPackage } from "./import-package.ts";
import { type KnexStorageOptions, knexStorage } from "./index.ts";
import { importLibsql } from "./libsql.ts";
import { spawnChild } from "./spawn-child.test-support.ts";
import { toContext, withDirectory } from "./storage-context.test-support.ts";

async function withStorage(
	directory: string,
	run: (storage: Storage) => Promise<void>,
	options: KnexStorageOptions = { client: "sqlite" },
): Promise<void> {
	const storage = knexStorage(options).create();
	try {
		await storage.start?.(toContext(directory));
		await run(storage);
	} finally {
		await storage.stop?.();
	}
}

test("every write acknowledged before kill -9 is there afterwards, and the database opens at once", () =>
	withDirectory(async (directory) => {
		let acknowledged: string[] = [];
		for (let round = 0; round < 3; round++) {
			const child = spawnChild("insert", join(directory, `${round}`));
			await child.waitForLines(50 + Math.random() * 500);
			await child.kill();
			acknowledged = child.lines.filter((line) => line.length === 24);
			assert.ok(acknowledged.length > 40);
			await withStorage(join(directory, `${round}`), async (storage) => {
				const found = await storage.find("trace", { where: { id: { in: acknowledged } }, fields: [] });
				assert.equal(found.length, acknowledged.length);
			});
		}
	}));

test("a second service is refused while the first one lives, in another process and in this one", () =>
	withDirectory(async (directory) => {
		const child = spawnChild("insert", directory);
		await child.waitForLines(2);
		const refused = (error: unknown) => isSvcError(error, "SVC_UNAVAILABLE") && /in use by another service/.test(error.message);
		await assert.rejects(
			withStorage(directory, async () => {}),
			refused,
		);
		await child.kill();
		await withStorage(directory, async (storage) => {
			await assert.rejects(
				withStorage(directory, async () => {}),
				refused,
			);
			await storage.insert("trace", [createTrace("still works")]);
		});
	}));

test("another program can read the tables while the service writes", () =>
	withDirectory((directory) =>
		withStorage(directory, async (storage) => {
			const reader = new (await importLibsql())(join(directory, "svc.db"), { timeout: 0 });
			const readStatus = () => reader.prepare('select status, "user" from executions').raw().all([]);
			const execution = createExecution();
			await storage.insert("execution", [execution]);
			assert.deepEqual(readStatus(), [["requested", "admin"]]);
			await storage.update("execution", execution.id, { status: "scheduled" });
			assert.deepEqual(readStatus(), [["scheduled", "admin"]]);
			reader.close();
		}),
	));

test("writes wait for another program's write lock without holding the event loop", () =>
	withDirectory((directory) =>
		withStorage(directory, async (storage) => {
			const writer = new (await importLibsql())(join(directory, "svc.db"), { timeout: 0 });
			writer.exec("begin immediate");
			let done = false;
			const inserted = storage.insert("trace", [createTrace("a")]).then(() => (done = true));
			for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setTimeout(resolve, 1));
			assert.equal(done, false);
			assert.equal(await storage.count("trace", {}), 0);
			writer.exec("commit");
			writer.close();
			await inserted;
			assert.equal(await storage.count("trace", {}), 1);
		}),
	));

test("directory and files are for their owner alone", () =>
	withDirectory(async (directory) => {
		const file = join(directory, "new", "deep", "svc.db");
		const options = { client: "sqlite", file } as const;
		const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
		await withStorage(
			directory,
			async (storage) => {
				await storage.insert("trace", [createTrace("a")]);
				for (const path of [file, `${file}.lock`, `${file}-wal`, `${file}-shm`]) assert.equal(await modeOf(path), "600", path);
				assert.equal(await modeOf(join(directory, "new")), "700");
				assert.equal(await modeOf(join(directory, "new", "deep")), "700");
			},
			options,
		);
	}));

test("writes asked for before stop are done, those after it are refused", () =>
	withDirectory(async (directory) => {
		const storage = knexStorage({ client: "sqlite" }).create();
		await assert.rejects(storage.count("trace", {}), (error) => isSvcError(error, "SVC_UNAVAILABLE"));
		await storage.start?.(toContext(directory));
		const inserted = Promise.all(Array.from({ length: 1_200 }, (_, index) => storage.insert("trace", [createTrace(`${index}`)])));
		const stopped = storage.stop?.();
		await assert.rejects(storage.insert("trace", [createTrace("late")]), (error) => isSvcError(error, "SVC_UNAVAILABLE"));
		await Promise.all([inserted, stopped]);
		await withStorage(directory, async (again) => assert.equal(await again.count("trace", {}), 1_200));
	}));

test("room of removed entities is given back to the system in small steps, while others write", () =>
	withDirectory((directory) =>
		withStorage(directory, async (storage) => {
			const file = join(directory, "svc.db");
			const chunks = Array.from({ length: 4_000 }, (_, index) => createChunk("a", index + 1, "x".repeat(4_000)));
			await storage.insert("output_chunk", chunks);
			assert.equal(await storage.compact?.(), false);
			await storage.remove("output_chunk", { where: { sequence: { gt: 10 } } });
			let steps = 1;
			for (; await storage.compact?.(); steps++) await storage.insert("trace", [createTrace(`${steps}`)]);
			assert.ok(steps > 5);
			assert.ok((await stat(file)).size < 2_000_000);
			assert.equal(await storage.count("output_chunk", {}), 10);
			assert.equal(await storage.count("trace", {}), steps - 1);
			assert.equal(await storage.compact?.(), false);
		}),
	));

test("a file of before keeps its size when it is compacted", () =>
	withDirectory(async (directory) => {
		const old = new (await importLibsql())(join(directory, "svc.db"), { timeout: 0 });
		old.exec("pragma journal_mode = wal; create table other (id text); drop table other");
		old.close();
		await withStorage(directory, async (storage) => {
			await storage.insert(
				"output_chunk",
				Array.from({ length: 500 }, (_, index) => createChunk("a", index + 1, "x".repeat(4_000))),
			);
			await storage.remove("output_chunk", { where: {} });
			assert.equal(await storage.compact?.(), false);
		});
		assert.ok((await stat(join(directory, "svc.db"))).size > 1_000_000);
	}));

test("wrong options and files that are no database are refused with their names", () =>
	withDirectory(async (directory) => {
		const wrong = [
			{ client: "mysql" },
			{ client: "sqlite", synchronous: "OFF" },
			{ client: "sqlite", file: 5 },
		] as unknown as KnexStorageOptions[];
		for (const options of wrong) {
			await assert.rejects(
				withStorage(directory, async () => {}, options),
				(error) => isSvcError(error, "SVC_CONFIG") && error.message.startsWith("storage."),
			);
		}
		await assert.rejects(
			withStorage(directory, async () => {}, { client: "sqlite", file: directory }),
			(error) => isSvcError(error, "SVC_CONFIG"),
		);
	}));

test("a missing package is named", async () => {
	await assert.rejects(importPackage("no-such-package/inside"), (error) => {
		return isSvcError(error, "SVC_CONFIG") && error.message.includes("npm install no-such-package");
	});
});

test.run();
