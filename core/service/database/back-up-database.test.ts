import * as assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "uvu";
import { addToRecord, findingsIn } from "../../../plugins/feature-audit/sample-record.test-support.ts";
import { verifyRecord } from "../../../plugins/feature-audit/verify-chain.ts";
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
	withPlace(async ({ directory, open, process }) => {
		const backup = join(directory, "backup.db");
		await open(sqlite, async (storage) => {
			const stop = writeOn(storage);
			while ((await storage.count("trace", {})) < 200) await new Promise((resolve) => setTimeout(resolve, 5));
			const before = await storage.count("trace", {});
			const begun = performance.now();
			const { code, stdout, stderr } = await process(["db", "backup", backup]);
			const took = performance.now() - begun;
			const after = await stop();
			assert.equal(code, 0, stderr);
			assert.ok(took < longest, `${took} ms`);
			assert.match(stdout, /^Backup written: .*backup\.db \(\d+ bytes\)/);
			assert.match(stdout, /Not stored in the database, but needed by the service:\n.*data directory/);
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
		assert.match((await svc(["db", "backup", backup])).stderr, /svc\.db" does not exist; it cannot be backed up/);
		await open(sqlite, async () => {});
		await writeFile(backup, "precious");
		const { code, stderr } = await svc(["db", "backup", backup]);
		assert.notEqual(code, 0);
		assert.match(stderr, /backup\.db" already exists and is not replaced/);
		assert.equal(await readFile(backup, "utf8"), "precious");
	}));

test("the audit record comes through backup and restore as it was and goes on, and what was done to a backup is named", () =>
	withPlace(async ({ directory, open, svc }) => {
		const run = async (...words: string[]) => {
			const { code, stderr } = await svc(["db", ...words]);
			assert.equal(code, 0, stderr);
		};
		await open(sqlite, (storage) => addToRecord(storage, 12));
		await run("backup", join(directory, "good.db"));
		const later = await open(sqlite, (storage) => addToRecord(storage, 3));
		await run("restore", join(directory, "good.db"));
		await open(sqlite, async (storage) => {
			assert.deepEqual([await storage.count("audit_entry", {}), await findingsIn(storage)], [12, []]);
			// What was signed since, and lies elsewhere, tells that the record is an earlier one.
			const entries = await storage.find("audit_entry", { orderBy: [["number", "asc"]] });
			const { findings } = await verifyRecord(entries, { checkpoints: [later] });
			assert.match(String(findings[0]?.problem), /^entries 13 to 15 are missing: removed from the end/);
			await addToRecord(storage, 3);
			assert.deepEqual([await storage.count("audit_entry", {}), await findingsIn(storage)], [15, []]);
			await storage.update("audit_entry", entries[4]?.id ?? "", { user: "eve" });
			await storage.remove("audit_entry", { where: { number: { gt: 13 } } });
		});
		await run("backup", join(directory, "forged.db"));
		await run("restore", join(directory, "forged.db"));
		const found = await open(sqlite, findingsIn);
		assert.equal(found.length, 2, found.join("\n"));
		assert.match(String(found[0]), /^entry 5 was changed/);
		assert.match(String(found[1]), /^entries 14 to 15 are missing: removed from the end/);
	}));

test("a restored database is that of the backup, and the one before is kept; not while it is in use", () =>
	withPlace(async ({ directory, open, process, svc }) => {
		const backup = join(directory, "backup.db");
		await open(sqlite, (storage) => storage.insert("trace", [createTrace(toId(1))]));
		assert.equal((await svc(["db", "backup", backup])).code, 0);
		await open(sqlite, async (storage) => {
			await storage.insert("trace", [createTrace(toId(2))]);
			const { code, stderr } = await process(["db", "restore", backup]);
			assert.notEqual(code, 0);
			assert.match(stderr, /is in use by another service; stop it/);
			assert.equal(await storage.count("trace", {}), 2);
		});
		const { code, stdout, stderr } = await svc(["db", "restore", backup]);
		assert.equal(code, 0, stderr);
		const [, old = ""] = /The old database was kept as (.*)\n/.exec(stdout) ?? [];
		assert.equal(await open(sqlite, (storage) => storage.count("trace", {})), 1);
		assert.equal(await open(knexStorage({ client: "sqlite", file: old }), (storage) => storage.count("trace", {})), 2);
		assert.equal((await stat(join(directory, "data/svc.db"))).mode & 0o777, 0o600);
		// The backup is as it was, for another time.
		assert.equal(await open(knexStorage({ client: "sqlite", file: backup }), (storage) => storage.count("trace", {})), 1);
	}));

test("databases that are replaced within the same second are all kept", () =>
	withPlace(async ({ directory, open, svc }) => {
		const backup = join(directory, "backup.db");
		await open(sqlite, (storage) => storage.insert("trace", [createTrace(toId(1))]));
		assert.equal((await svc(["db", "backup", backup])).code, 0);
		const kept: string[] = [];
		for (let count = 0; count < 4; count += 1) {
			const { code, stdout, stderr } = await svc(["db", "restore", backup]);
			assert.equal(code, 0, stderr);
			kept.push(/The old database was kept as (.*)\n/.exec(stdout)?.[1] ?? "");
		}
		assert.equal(new Set(kept).size, 4);
		assert.ok(kept.every((file) => existsSync(file)));
	}));

test("what is no backup, or a damaged one, is not restored, and nothing changes", () =>
	withPlace(async ({ directory, open, svc }) => {
		const backup = join(directory, "backup.db");
		await open(sqlite, (storage) => storage.insert("trace", [createTrace(toId(1))]));
		assert.equal((await svc(["db", "backup", backup])).code, 0);
		const content = await readFile(backup);
		for (const [spoiled, says] of [
			[Buffer.from("no database ".repeat(999)), /is not an SQLite database/],
			[Buffer.concat([content.subarray(0, 8_192), Buffer.alloc(content.length - 8_192, 7)]), /is damaged/],
			[Buffer.alloc(0), /is not a backup/],
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
	withPlace(async ({ svc }) => assert.match((await svc(["db", "backup", "x"])).stderr, /storage "memory" does not support backup/), {
		storage: "memoryStorage()",
	}));

test.run();
