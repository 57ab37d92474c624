import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import type { Storage } from "../../contract/index.ts";
import { withPlace } from "../../testing/database/database.test-support.ts";
import { createTrace } from "../../testing/storage/fixtures.ts";

/** Milliseconds in which a backup of a small database must be done, however much is written meanwhile. */
const longest = 30_000;

const sqlite = knexStorage({ client: "sqlite" });
const toId = (index: number) => index.toString(16).padStart(24, "0");

/** Write without a pause until the returned function is called, which says how many there are. */
function writeOn(storage: Storage): () => Promise<number> {
	let written = 0;
	let isDone = false;
	const writing = (async () => {
		while (!isDone) {
			await storage.insert("trace", [createTrace(toId(written))]);
			written += 1;
		}
	})();
	return async () => {
		isDone = true;
		await writing;
		return written;
	};
}

test("a backup ends while the service writes without a pause, and holds what was written before", () =>
	withPlace(async ({ directory, open, svc }) => {
		const backup = join(directory, "backup.db");
		await open(sqlite, async (storage) => {
			const stop = writeOn(storage);
			while ((await storage.count("trace", {})) < 200) await new Promise((resolve) => setTimeout(resolve, 5));
			const before = await storage.count("trace", {});
			const begun = performance.now();
			const { code, stdout, stderr } = await svc(["db", "backup", backup]);
			const took = performance.now() - begun;
			const after = await stop();
			assert.equal(code, 0, stderr);
			assert.ok(took < longest, `${took} ms`);
			assert.match(stdout, /^Backup written: .*backup\.db \(\d+ bytes\)/);
			assert.match(stdout, /Not in a database, and still needed:\n.*data directory/);
			const copy = knexStorage({ client: "sqlite", file: backup });
			const held = await open(copy, (kept) => kept.count("trace", {}));
			assert.ok(held >= before && held <= after, `${before} ${held} ${after}`);
		});
		assert.equal((await stat(backup)).mode & 0o777, 0o600);
		assert.equal(existsSync(`${backup}.part`), false);
	}));

test("a backup replaces no file, and there is none of a database that is not there", () =>
	withPlace(async ({ directory, open, svc }) => {
		const backup = join(directory, "backup.db");
		assert.match((await svc(["db", "backup", backup])).stderr, /svc\.db" is not there; there is nothing to back up/);
		await open(sqlite, async () => {});
		await writeFile(backup, "precious");
		const { code, stderr } = await svc(["db", "backup", backup]);
		assert.notEqual(code, 0);
		assert.match(stderr, /backup\.db" is there already, and is not replaced/);
		assert.equal(await readFile(backup, "utf8"), "precious");
	}));

test("a restored database is that of the backup, and the one before is kept; not while it is in use", () =>
	withPlace(async ({ directory, open, svc }) => {
		const backup = join(directory, "backup.db");
		await open(sqlite, (storage) => storage.insert("trace", [createTrace(toId(1))]));
		assert.equal((await svc(["db", "backup", backup])).code, 0);
		await open(sqlite, async (storage) => {
			await storage.insert("trace", [createTrace(toId(2))]);
			const { code, stderr } = await svc(["db", "restore", backup]);
			assert.notEqual(code, 0);
			assert.match(stderr, /is in use by another service; stop it/);
			assert.equal(await storage.count("trace", {}), 2);
		});
		const { code, stdout, stderr } = await svc(["db", "restore", backup]);
		assert.equal(code, 0, stderr);
		const [, old = ""] = /The one before is kept: (.*)\n/.exec(stdout) ?? [];
		assert.equal(await open(sqlite, (storage) => storage.count("trace", {})), 1);
		assert.equal(await open(knexStorage({ client: "sqlite", file: old }), (storage) => storage.count("trace", {})), 2);
		assert.equal((await stat(join(directory, "data/svc.db"))).mode & 0o777, 0o600);
		// The backup is as it was, for another time.
		assert.equal(await open(knexStorage({ client: "sqlite", file: backup }), (storage) => storage.count("trace", {})), 1);
	}));

test("what is no backup, or a damaged one, is not restored, and nothing changes", () =>
	withPlace(async ({ directory, open, svc }) => {
		const backup = join(directory, "backup.db");
		await open(sqlite, (storage) => storage.insert("trace", [createTrace(toId(1))]));
		assert.equal((await svc(["db", "backup", backup])).code, 0);
		const content = await readFile(backup);
		for (const [spoiled, says] of [
			[Buffer.from("no database ".repeat(999)), /is no SQLite database/],
			[Buffer.concat([content.subarray(0, 8_192), Buffer.alloc(content.length - 8_192, 7)]), /is damaged/],
			[Buffer.alloc(0), /is no backup/],
		] as const) {
			await writeFile(backup, spoiled);
			const { code, stderr } = await svc(["db", "restore", backup]);
			assert.notEqual(code, 0);
			assert.match(stderr, says);
			assert.match(stderr, /backup\.db/);
			assert.equal(await open(sqlite, (storage) => storage.count("trace", {})), 1);
		}
	}));

test("for PostgreSQL the command says what to do instead, without the password", () =>
	withPlace(
		async ({ svc }) => {
			const backup = await svc(["db", "backup", "it's.dump"]);
			assert.notEqual(backup.code, 0);
			assert.match(backup.stderr, /pg_dump --format=custom --file='\/.*\/it'\\''s\.dump' -h 127\.0\.0\.1 -p 1 -U svc -d kept/);
			const restore = await svc(["db", "restore", "svc.dump"]);
			assert.match(restore.stderr, /pg_restore --no-owner --exit-on-error -h 127\.0\.0\.1 -p 1 -U svc -d kept \/.*\/svc\.dump/);
			assert.doesNotMatch(backup.stderr + restore.stderr, /hidden/);
		},
		{ storage: 'knexStorage({ client: "postgres", url: "postgres://svc:hidden@127.0.0.1:1/kept" })' },
	));

test("a storage that cannot be backed up says so", () =>
	withPlace(async ({ svc }) => assert.match((await svc(["db", "backup", "x"])).stderr, /storage "memory" has no backup/), {
		storage: "memoryStorage()",
	}));

test.run();
