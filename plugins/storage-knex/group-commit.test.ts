import * as assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import type { Write } from "./database-client.ts";
import { GroupCommit } from "./group-commit.ts";
import { importLibsql, type LibsqlDatabase } from "./libsql.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { withDirectory } from "./storage-context.test-support.ts";

interface Scope {
	readonly database: LibsqlDatabase;
	readonly commits: GroupCommit;
	/** Statements that were executed without bindings, transaction control among them. */
	readonly executed: string[];
	readonly keys: () => unknown[];
}

const withCommits = (run: (scope: Scope) => Promise<void>) =>
	withDirectory(async (directory) => {
		const database = new (await importLibsql())(join(directory, "test.db"), { timeout: 0 });
		database.exec("pragma journal_mode = wal; create table entries (key text primary key, text text)");
		const executed: string[] = [];
		class RecordingConnection extends SqliteConnection {
			override exec(sql: string): void {
				executed.push(sql);
				super.exec(sql);
			}
			override commit(): Promise<void> {
				executed.push(commit);
				return super.commit();
			}
		}
		const commits = new GroupCommit(new RecordingConnection(database), true);
		const keys = () => database.prepare("select key from entries order by key").raw().all([]).flat();
		try {
			await run({ database, commits, executed, keys });
		} finally {
			await commits.finish();
			database.close();
		}
	});

function toWrite(keys: readonly string[], properties: Partial<Write<string>> = {}): Write<string> {
	const statement = { sql: "insert into entries values (?, ?)", answer: "changes" } as const;
	return {
		compound: keys.length > 1,
		relaxed: false,
		shareable: true,
		rows: keys.length,
		size: 0,
		*steps() {
			for (const key of keys) yield [{ statement, bindings: [key, ""] }];
			return keys.join();
		},
		...properties,
	};
}

const begin = "BEGIN IMMEDIATE";
const commit = "COMMIT";

test("writes of one tick share a transaction", () =>
	withCommits(async ({ commits, executed }) => {
		const results = await Promise.all(["a", "b", "c"].map((key) => commits.write(toWrite([key]))));
		assert.deepEqual(results, ["a", "b", "c"]);
		assert.deepEqual(executed, ["PRAGMA synchronous = FULL", begin, commit]);
	}));

test("what is asked for while a group is being committed shares the next transaction", () =>
	withCommits(async ({ commits, executed, keys }) => {
		const first = commits.write(toWrite(["a"]));
		await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
		assert.deepEqual(executed.slice(1), [begin, commit]);
		await Promise.all([first, ...["b", "c"].map((key) => commits.write(toWrite([key])))]);
		assert.deepEqual(executed.slice(1), [begin, commit, begin, commit]);
		assert.deepEqual(keys(), ["a", "b", "c"]);
	}));

test("a write that fails takes back its own statements only", () =>
	withCommits(async ({ commits, executed, keys }) => {
		const writes = [["a"], ["b", "a", "x"], ["a"], ["c", "d"]].map((each) => commits.write(toWrite(each)));
		const settled = await Promise.allSettled(writes);
		assert.deepEqual(
			settled.map(({ status }) => status),
			["fulfilled", "rejected", "rejected", "fulfilled"],
		);
		assert.deepEqual(keys(), ["a", "c", "d"]);
		assert.equal(executed.filter((sql) => sql === commit).length, 1);
	}));

test("only relaxed writes do not wait for the disk", () =>
	withCommits(async ({ commits, executed }) => {
		const relaxed = { relaxed: true };
		await Promise.all([commits.write(toWrite(["a"], relaxed)), commits.write(toWrite(["b"], relaxed))]);
		await Promise.all([commits.write(toWrite(["c"], relaxed)), commits.write(toWrite(["d"]))]);
		const levels = executed.filter((sql) => sql.startsWith("PRAGMA"));
		assert.deepEqual(levels, ["PRAGMA synchronous = NORMAL", "PRAGMA synchronous = FULL"]);
	}));

test("a big batch is cut into several transactions, by rows and by size", () =>
	withCommits(async ({ commits, executed, keys }) => {
		await Promise.all(Array.from({ length: 1_100 }, (_, index) => commits.write(toWrite([`${index}`]))));
		assert.equal(executed.filter((sql) => sql === begin).length, 3);
		await Promise.all(["a", "b", "c"].map((key) => commits.write(toWrite([key], { size: 3_000_000 }))));
		assert.equal(executed.filter((sql) => sql === begin).length, 6);
		assert.equal(keys().length, 1_103);
	}));

test("a full disk rejects the whole group as unavailable, and the next one works once there is room", () =>
	withCommits(async ({ database, commits, keys }) => {
		await commits.write(toWrite(["before"]));
		const pages = Number(database.prepare("pragma page_count").raw().all([])[0]?.[0]);
		database.exec(`pragma max_page_count = ${pages + 1}`);
		const big: Write<string> = {
			...toWrite(["big"]),
			*steps() {
				yield [{ statement: { sql: "insert into entries values (?, ?)", answer: "changes" }, bindings: ["big", "x".repeat(100_000)] }];
				return "big";
			},
		};
		const settled = await Promise.allSettled([toWrite(["a"]), big, toWrite(["b", "c"])].map((write) => commits.write(write)));
		for (const outcome of settled) {
			assert.equal(outcome.status, "rejected");
			assert.ok(isSvcError(outcome.reason, "SVC_UNAVAILABLE"));
			assert.match(outcome.reason.message, /full/);
			assert.ok(outcome.reason.cause instanceof Error);
		}
		assert.deepEqual(keys(), ["before"]);
		database.exec("pragma max_page_count = 1000000");
		await Promise.all([commits.write(big), commits.write(toWrite(["after"]))]);
		assert.deepEqual(keys(), ["after", "before", "big"]);
	}));

test("a transaction that cannot begin rejects all that waits, and later writes work", () =>
	withCommits(async ({ commits, keys, database }) => {
		const exec = database.exec.bind(database);
		database.exec = (sql) => {
			if (sql !== begin) return exec(sql);
			database.exec = exec;
			throw Object.assign(new Error("unable to open database file"), { code: "SQLITE_CANTOPEN" });
		};
		const writes = Array.from({ length: 700 }, (_, index) => commits.write(toWrite([`${index}`])));
		for (const outcome of await Promise.allSettled(writes))
			assert.ok(outcome.status === "rejected" && isSvcError(outcome.reason, "SVC_UNAVAILABLE"));
		await commits.write(toWrite(["later"]));
		assert.deepEqual(keys(), ["later"]);
	}));

test("a commit that fails rejects its group, and the next group works", () =>
	withCommits(async ({ commits, executed, keys, database }) => {
		const fail = Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_FSYNC" });
		const exec = database.execAsync.bind(database);
		database.execAsync = async () => {
			database.execAsync = exec;
			throw fail;
		};
		const settled = await Promise.allSettled([commits.write(toWrite(["a"])), commits.write(toWrite(["b", "c"]))]);
		for (const outcome of settled)
			assert.ok(outcome.status === "rejected" && isSvcError(outcome.reason, "SVC_UNAVAILABLE") && outcome.reason.cause === fail);
		assert.equal(executed.at(-1), "ROLLBACK");
		await commits.write(toWrite(["d"]));
		assert.deepEqual(keys(), ["d"]);
	}));

test.run();
