import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError, type SvcErrorCode } from "../../core/contract/index.ts";
import { createTrace } from "../../core/testing/storage/fixtures.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { knexStorage } from "./index.ts";
import { toContext, withDirectory } from "./storage-context.test-support.ts";

const { test: rootTest } = requires(test, { root: true });

interface OpenFile {
	exec(sql: string): void;
	close(): void;
}

const Database = createRequire(import.meta.url)("libsql") as new (path: string) => OpenFile;

function makeDatabase(file: string, sql: string): void {
	const database = new Database(file);
	database.exec(sql);
	database.close();
}

/** Names and contents of all that lies in a directory, but for what is memory that readers share and make anew. */
async function fingerprint(directory: string): Promise<string> {
	const names = (await readdir(directory)).filter((name) => !name.endsWith("-shm")).sort();
	const lines = names.map(async (name) => {
		const content = await readFile(join(directory, name));
		return `${name} ${createHash("sha256").update(content).digest("hex")}`;
	});
	return (await Promise.all(lines)).join("\n");
}

async function startAndStop(directory: string, file: string): Promise<void> {
	const storage = knexStorage({ client: "sqlite", file }).create();
	try {
		await storage.start?.(toContext(directory));
		await storage.insert("trace", [createTrace("a".repeat(24))]);
	} finally {
		await storage.stop?.();
	}
}

async function assertRefused(directory: string, code: SvcErrorCode, says: RegExp): Promise<void> {
	const file = join(directory, "other.db");
	const before = await fingerprint(directory);
	const isRight = (error: unknown) => isSvcError(error, code) && error.message.includes(file) && says.test(error.message);
	await assert.rejects(startAndStop(directory, file), isRight);
	const storage = knexStorage({ client: "sqlite", file }).create();
	await assert.rejects(async () => storage.inspect?.(toContext(directory)), isRight);
	await assert.rejects(async () => storage.plan?.(toContext(directory)), isRight);
	assert.equal(await fingerprint(directory), before);
}

for (const [name, sql] of [
	["tables of its own", "create table customers (id integer primary key, name text); insert into customers values (1, 'Ann')"],
	["a table of migrations with other columns", "create table migrations (id integer primary key, migration text, batch integer)"],
	["migrations of the same shape", "create table migrations (id integer, name text); insert into migrations values (1, '2014_users')"],
] as const) {
	test(`the database of another program, with ${name}, is refused by its path and not touched`, () =>
		withDirectory(async (directory) => {
			makeDatabase(join(directory, "other.db"), sql);
			await assertRefused(directory, "SVC_CONFIG", /contains tables of another program and was not changed/);
		}));
}

test("what is no database is refused by its path and not touched", () =>
	withDirectory(async (directory) => {
		await writeFile(join(directory, "other.db"), "Dear diary, ".repeat(1_000));
		await assertRefused(directory, "SVC_CONFIG", /is not an SQLite database and was not changed/);
	}));

test("a damaged database is refused by its path, with what to do", () =>
	withDirectory(async (directory) => {
		// A copy from elsewhere: the driver lets go of a file that was closed when its statements are collected.
		await withDirectory(async (elsewhere) => {
			await startAndStop(elsewhere, join(elsewhere, "first.db"));
			const content = await readFile(join(elsewhere, "first.db"));
			content.fill(7, 100, 4_000);
			await writeFile(join(directory, "other.db"), content);
		});
		await assertRefused(directory, "SVC_CONFIG", /is damaged \(.*\); hint: svc db restore/);
	}));

test("a locked database is refused by its path, with the word that it passes", () =>
	withDirectory(async (directory) => {
		const file = join(directory, "other.db");
		// A copy: the driver lets go of a file that was closed when its statements are collected.
		await startAndStop(directory, join(directory, "first.db"));
		await copyFile(join(directory, "first.db"), file);
		const other = new Database(file);
		other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
		try {
			await assert.rejects(
				startAndStop(directory, file),
				(error) =>
					isSvcError(error, "SVC_UNAVAILABLE") &&
					error.message === `database "${file}" is locked by another program` &&
					typeof error.facts["retry_after"] === "number",
			);
		} finally {
			other.close();
		}
		await assert.doesNotReject(async () => knexStorage({ client: "sqlite", file }).create().plan?.(toContext(directory)));
	}));

test("the database of a newer version is refused by its path and not touched, whatever journal it was written with", () =>
	withDirectory(async (directory) => {
		const file = join(directory, "other.db");
		// A copy: the driver lets go of a file that was closed when its statements are collected.
		await withDirectory(async (elsewhere) => {
			const first = join(elsewhere, "first.db");
			await startAndStop(elsewhere, first);
			await copyFile(first, join(elsewhere, "second.db"));
			makeDatabase(
				join(elsewhere, "second.db"),
				"PRAGMA journal_mode = DELETE; insert into migrations (name, batch) values ('9999-later', 2)",
			);
			await copyFile(join(elsewhere, "second.db"), file);
		});
		const before = await fingerprint(directory);
		await assert.rejects(
			startAndStop(directory, file),
			(error) => isSvcError(error, "SVC_CONFIG") && error.message.includes(file) && /newer version.*9999-later/.test(error.message),
		);
		assert.equal(await fingerprint(directory), before);
	}));

test("a directory in the place of the database, or of a file beside it, is refused by its path", async () => {
	for (const name of ["other.db", "other.db-wal", "other.db.lock"]) {
		await withDirectory(async (directory) => {
			const file = join(directory, "other.db");
			if (name !== "other.db") await startAndStop(directory, file);
			await rm(join(directory, name), { force: true });
			await mkdir(join(directory, name));
			await assert.rejects(
				startAndStop(directory, file),
				(error) => isSvcError(error, "SVC_CONFIG") && error.message.includes(`"${join(directory, name)}" is a directory`),
			);
		});
	}
});

rootTest("a file that belongs to another user is refused by its path and with the ids of both users", () =>
	withDirectory(async (directory) => {
		const file = join(directory, "other.db");
		await startAndStop(directory, file);
		await chmod(directory, 0o777);
		const nobody = 65_534;
		process.seteuid?.(nobody);
		try {
			await assert.rejects(
				startAndStop(directory, file),
				(error) => isSvcError(error, "SVC_CONFIG") && /cannot be read and written: .* id 0, .* id 65534/.test(error.message),
			);
		} finally {
			process.seteuid?.(0);
		}
	}),
);

test("an empty file is as good as none", () =>
	withDirectory(async (directory) => {
		const file = join(directory, "other.db");
		await writeFile(file, "");
		await startAndStop(directory, file);
	}));

test.run();
