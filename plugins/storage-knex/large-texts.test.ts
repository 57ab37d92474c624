import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { appendFile, readdir, stat, truncate, utimes } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { attachBulkyBytes, isSvcError, type OutputChunkEntity, type Storage } from "../../core/contract/index.ts";
import { createChunk } from "../../core/testing/storage/fixtures.ts";
import { BlockPool } from "./block-pool.ts";
import { knexStorage } from "./index.ts";
import { toLargeText } from "./large-text.test-support.ts";
import { lostTextNotice } from "./large-texts.ts";
import { importLibsql } from "./libsql.ts";
import { spawnChild } from "./spawn-child.test-support.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { SqliteGroupCommit } from "./sqlite-group-commit.ts";
import { readRows, withFile } from "./sqlite-schema.test-support.ts";
import { toContext, withDirectory } from "./storage-context.test-support.ts";
import { TextFile } from "./text-file.ts";

async function withStorage(directory: string, run: (storage: Storage) => Promise<void>): Promise<void> {
	const storage = knexStorage({ client: "sqlite" }).create();
	try {
		await storage.start?.(toContext(directory));
		await run(storage);
	} finally {
		await storage.stop?.();
	}
}

const toChunks = (execution: number, from: number, to: number) =>
	Array.from({ length: to - from + 1 }, (_, index) => createChunk(`${execution}`, from + index, toLargeText(execution, from + index)));

function readOutput(storage: Storage, execution: number): Promise<OutputChunkEntity[]> {
	return storage.find("output_chunk", { where: { execution_id: `${execution}` }, orderBy: [["sequence", "asc"]] });
}

test("large output lies in a file of its execution and comes back whole, also after a restart", () =>
	withDirectory(async (directory) => {
		const chunks = toChunks(1, 1, 12);
		await withStorage(directory, async (storage) => {
			await storage.insert("output_chunk", chunks.slice(0, 6));
			await storage.write([{ insert: "output_chunk", entities: chunks.slice(6) }]);
			assert.deepEqual(await readOutput(storage, 1), chunks);
		});
		await withStorage(directory, async (storage) => {
			assert.deepEqual(await readOutput(storage, 1), chunks);
			assert.deepEqual(await storage.get("output_chunk", chunks[3]?.id ?? ""), chunks[3]);
			const first = await storage.find("output_chunk", { where: { sequence: 1 }, fields: ["data"] });
			assert.equal(first[0]?.data, chunks[0]?.data);
		});
		assert.deepEqual(await readdir(join(directory, "svc.db-output")), ["1"]);
		const modes = await Promise.all(["", "1"].map(async (name) => (await stat(join(directory, "svc.db-output", name))).mode & 0o777));
		assert.deepEqual(modes, [0o700, 0o600]);
		await withFile(join(directory, "svc.db"), (database) => {
			const [[longest]] = readRows(database, "select max(length(data)) from output_chunks") as [[number]];
			assert.ok(longest < 200, "it lies in the rows as well");
		});
	}));

test("a text comes back as it was, whatever characters it is made of", () =>
	withDirectory((directory) =>
		withStorage(directory, async (storage) => {
			const texts = ["a\n", "é", "ÿa", "\u0080", "€", "\u{1f600}", "\0\u0001\u0002", '"\\\r'].map((text) => text.repeat(20_000));
			const chunks = texts.map((text, index) => createChunk("1", index + 1, text));
			await storage.insert("output_chunk", chunks);
			assert.deepEqual(await readOutput(storage, 1), chunks);
		}),
	));

test("a text that is given as bytes comes back as it was, though their memory is used again", () =>
	withDirectory((directory) =>
		withStorage(directory, async (storage) => {
			const texts = ["a\n".repeat(20_000), "\0\u0001".repeat(20_000), "short\n"];
			const memory = texts.map((text) => Buffer.from(text));
			const chunks = texts.map((text, index) => createChunk("1", index + 1, text));
			await storage.insert(
				"output_chunk",
				chunks.map((chunk, index) => attachBulkyBytes({ ...chunk }, () => memory[index] as Buffer)),
			);
			for (const bytes of memory) bytes.fill("x");
			assert.deepEqual(await readOutput(storage, 1), chunks);
		}),
	));

test("output acknowledged before kill -9 is there exactly, and what comes after it is a prefix of what was written", () =>
	withDirectory(async (directory) => {
		for (let round = 0; round < 4; round++) {
			const place = join(directory, `${round}`);
			const child = spawnChild("output", place);
			await child.waitForLines(20 + Math.random() * 200);
			await child.kill();
			await withStorage(place, async (storage) => {
				for (const execution of [0, 1, 2]) {
					const told = child.lines.map((line) => line.split(" ")).filter(([name]) => name === `${execution}`);
					const found = await readOutput(storage, execution);
					assert.ok(found.length >= Number(told.at(-1)?.[1]), "acknowledged output is gone");
					found.forEach(({ sequence, data }, index) => {
						assert.equal(sequence, index + 1);
						assert.ok(data === toLargeText(execution, sequence), `chunk ${sequence} is not what was written`);
					});
					// What the killed process has left behind the last row harms nothing that follows.
					await appendFile(join(place, "svc.db-output", `${execution}`), "torn");
					const next = toChunks(execution, found.length + 1, found.length + 4);
					await storage.insert("output_chunk", next);
					assert.deepEqual((await readOutput(storage, execution)).slice(found.length), next);
				}
			});
		}
	}));

test("what a loss of power has taken is marked as lost, and nothing else is taken for it", () =>
	withDirectory(async (directory) => {
		const chunks = toChunks(1, 1, 4);
		await withStorage(directory, (storage) => storage.insert("output_chunk", chunks));
		const file = join(directory, "svc.db-output", "1");
		const { size } = await stat(file);
		await truncate(file, size - 10);
		await truncate(file, size);
		await withStorage(directory, async (storage) => {
			const found = await readOutput(storage, 1);
			assert.deepEqual(found.slice(0, 3), chunks.slice(0, 3));
			assert.equal(found[3]?.data, lostTextNotice);
		});
	}));

test("what is written while others are brought to the disk, by one or by several at once, is not taken for what is there", () =>
	withDirectory(async (directory) => {
		const file = new TextFile(join(directory, "1"), new BlockPool());
		const text = Buffer.alloc(1_000_000, "x");
		file.add(text);
		await file.flush();
		await Promise.all([file.sync(), file.sync()]);
		assert.equal(file.unsyncedBytes, 0);
		file.add(text);
		const writing = file.flush();
		// As far as the system has been given it, and not further.
		while (file.unsyncedBytes === 0) await undefined;
		const syncing = file.sync();
		await Promise.all([writing, syncing]);
		assert.equal(file.unsyncedBytes, text.length);
		await file.sync();
		assert.equal(file.unsyncedBytes, 0);
		file.close();
	}));

test("a commit that waits for the disk waits for large texts too, and fails with them", () =>
	withDirectory(async (directory) => {
		const database = new (await importLibsql())(join(directory, "x.db"), { timeout: 0 });
		database.exec("create table x (y)");
		let syncs = 0;
		const broken = {
			async sync() {
				syncs += 1;
				throw new Error("EIO");
			},
		};
		const commits = new SqliteGroupCommit(new SqliteConnection(database, { largeTexts: broken }), true);
		const write = (relaxed: boolean) =>
			commits.write({
				relaxed,
				compound: false,
				shareable: true,
				rows: 1,
				size: 1,
				*rounds() {
					yield [{ statement: { sql: "insert into x values (1)", resultKind: "changes" }, bindings: [] }];
				},
			});
		await write(true);
		assert.equal(syncs, 0);
		await assert.rejects(write(false), (error) => isSvcError(error, "SVC_UNAVAILABLE"));
		assert.equal(syncs, 1);
		assert.deepEqual(readRows(database, "select count(*) from x"), [[1]]);
		database.close();
	}));

test("a backup holds large texts by itself, and restoring keeps those of the database before beside it", () =>
	withDirectory(async (directory) => {
		const [context, backup] = [toContext(directory), join(directory, "backup.db")];
		const chunks = toChunks(1, 1, 40);
		const offline = knexStorage({ client: "sqlite" }).create();
		await withStorage(directory, async (storage) => {
			await storage.insert("output_chunk", chunks);
			await offline.backup?.(context, backup);
			await storage.insert("output_chunk", toChunks(2, 1, 3));
		});
		const old = await offline.restore?.(context, backup);
		assert.ok(old);
		assert.equal(existsSync(join(directory, "svc.db-output")), false);
		await withStorage(directory, async (storage) => {
			assert.deepEqual(await readOutput(storage, 1), chunks);
			assert.deepEqual(await readOutput(storage, 2), []);
		});
		const before = knexStorage({ client: "sqlite", file: old }).create();
		await before.start?.(context);
		assert.equal((await readOutput(before, 2)).length, 3);
		assert.equal((await readOutput(before, 2))[0]?.data, toLargeText(2, 1));
		await before.stop?.();
	}));

test("files whose rows are all gone are removed by and by, and no others", () =>
	withDirectory(async (directory) => {
		const file = (execution: number) => join(directory, "svc.db-output", `${execution}`);
		const age = (execution: number) => utimes(file(execution), 1, 1);
		await withStorage(directory, async (storage) => {
			for (const execution of [1, 2, 3]) await storage.insert("output_chunk", toChunks(execution, 1, 4));
		});
		await withStorage(directory, async (storage) => {
			await storage.remove("output_chunk", { where: { execution_id: { in: ["1", "3"] } } });
			await storage.remove("output_chunk", { where: { execution_id: "2", sequence: { lt: 4 } } });
			await Promise.all([age(1), age(2)]);
			while (await storage.compact?.());
			assert.deepEqual(
				[1, 2, 3].map((execution) => existsSync(file(execution))),
				[false, true, true],
				"the third is too young",
			);
			await age(3);
			while (await storage.compact?.());
			assert.deepEqual(
				[1, 2, 3].map((execution) => existsSync(file(execution))),
				[false, true, false],
			);
			assert.equal((await readOutput(storage, 2))[0]?.data, toLargeText(2, 4));
		});
	}));

test.run();
