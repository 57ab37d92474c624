import * as assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import type { Step, Write } from "./database-client.ts";
import { importLibsql, type LibsqlDatabase } from "./libsql.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { SqliteGroupCommit } from "./sqlite-group-commit.ts";
import { withDirectory } from "./storage-context.test-support.ts";

interface Scope {
	readonly database: LibsqlDatabase;
	readonly commits: SqliteGroupCommit;
	/** Statements that were executed without bindings, transaction control among them. */
	readonly executed: string[];
	readonly keys: () => unknown[];
	/** Another connection to the same file. */
	readonly connect: () => LibsqlDatabase;
}

const withCommits = (run: (scope: Scope) => Promise<void>) =>
	withDirectory(async (directory) => {
		const Database = await importLibsql();
		const connect = () => new Database(join(directory, "test.db"), { timeout: 0 });
		const database = connect();
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
			override runTransaction(text: string): Promise<void> {
				executed.push(text);
				return super.runTransaction(text);
			}
		}
		const commits = new SqliteGroupCommit(new RecordingConnection(database), true);
		const keys = () => database.prepare("select key from entries order by key").raw().all([]).flat();
		try {
			await run({ database, commits, executed, keys, connect });
		} finally {
			await commits.finish();
			database.close();
		}
	});

const insert = { sql: "insert into entries values (?, ?)", resultKind: "changes" } as const;

function toWrite(keys: readonly string[], properties: Partial<Write<string>> = {}): Write<string> {
	return {
		compound: keys.length > 1,
		relaxed: false,
		shareable: true,
		rows: keys.length,
		size: 0,
		*rounds() {
			for (const key of keys) yield [{ statement: insert, bindings: [key, ""] }];
			return keys.join();
		},
		...properties,
	};
}

/** One that answers nothing. */
function toSilent(keys: readonly string[], ...more: readonly Step[]): Write<void> {
	const inserts = keys.map((key): Step => ({ statement: insert, bindings: [key, ""] }));
	const silent = [...inserts, ...more];
	return {
		...toWrite(keys),
		compound: silent.length > 1,
		*rounds() {
			yield silent;
		},
		stepsWithoutResult: silent,
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

test("the next group is on its way before anybody is told of the one before", () =>
	withCommits(async ({ commits, executed, keys }) => {
		const many = (prefix: string) => toSilent(Array.from({ length: 12 }, (_none, index) => `${prefix}${index}`));
		for (const [name, write] of [
			["one by one", toWrite(["a"])],
			["as a text", many("a")],
		] as const) {
			const before = executed.length;
			const first = commits.write(write as Write<unknown>);
			// In the same turn, in which it cannot be known to be committed.
			await new Promise((resolve) => setImmediate(resolve));
			const begun = executed.length;
			const second = commits.write(many(name));
			await first;
			assert.ok(begun > before && executed.length > begun, name);
			await second;
			await commits.write({
				...toWrite([]),
				*rounds() {
					yield [{ statement: { sql: "delete from entries", resultKind: "changes" }, bindings: [] }];
					return "";
				},
			});
		}
		assert.deepEqual(keys(), []);
	}));

test("what is worth a transaction does not wait for the rest of the turn", () =>
	withCommits(async ({ commits, executed, keys }) => {
		const toKeys = (prefix: string) => Array.from({ length: 16 }, (_none, index) => `${prefix}${index}`);
		const first = commits.write(toSilent(toKeys("a")));
		await Promise.resolve();
		assert.equal(executed.length, 2);
		const second = commits.write(toWrite(["b"]));
		await Promise.resolve();
		assert.equal(executed.length, 2);
		await Promise.all([first, second]);
		assert.deepEqual(keys(), [...toKeys("a"), "b"].sort());
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
			*rounds() {
				yield [{ statement: insert, bindings: ["big", "x".repeat(100_000)] }];
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

test("what could not be brought to the disk is not tried again as if it had been", () =>
	withCommits(async ({ commits, keys, database, executed }) => {
		const fail = Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_FSYNC" });
		const exec = database.execAsync.bind(database);
		database.execAsync = async () => {
			database.execAsync = exec;
			throw fail;
		};
		const [outcome] = await Promise.allSettled([commits.write(toSilent([..."abcdefghijkl"]))]);
		assert.ok(outcome?.status === "rejected" && isSvcError(outcome.reason, "SVC_UNAVAILABLE") && outcome.reason.cause === fail);
		assert.equal(executed.includes(begin), false);
		await commits.write(toSilent([..."abcdefghijkl"]));
		assert.deepEqual(keys(), [..."abcdefghijkl"]);
	}));

test("who asks again at once is refused in a later turn of the event loop", () =>
	withCommits(async ({ commits, database }) => {
		database.exec = () => {
			throw Object.assign(new Error("unable to open database file"), { code: "SQLITE_CANTOPEN" });
		};
		for (const callers of [1, 12]) {
			let isOver = false;
			const turn = new Promise((resolve) => setTimeout(resolve, 10)).then(() => (isOver = true));
			let attempts = 0;
			const insist = async (later: number) => {
				for (let tick = 0; tick < later; tick++) await Promise.resolve();
				while (!isOver && attempts < 5_000) {
					attempts += 1;
					await commits.write(toWrite(["a"], { rows: 20 })).catch(() => undefined);
				}
			};
			await Promise.all(Array.from({ length: callers }, (_none, index) => insist(index)));
			assert.ok(attempts < 5_000, `${callers}: others never had their turn`);
			await turn;
		}
	}));

test("writes of one tick that answer nothing are one text", () =>
	withCommits(async ({ commits, executed, keys }) => {
		const many = [..."abcdefghij", "it's"];
		await Promise.all([commits.write(toSilent(many)), commits.write(toSilent(["x"]))]);
		const row = (key: string) => `('${key.replace("'", "''")}', '')`;
		assert.deepEqual(executed, ["PRAGMA synchronous = FULL", `insert into entries values ${[...many, "x"].map(row).join(", ")};`]);
		// Few, or one that answers something among them: one by one.
		await commits.write(toSilent(["1", "2"]));
		await Promise.all([commits.write(toSilent([..."ABCDEFGHIJK"])), commits.write(toWrite(["10"]))]);
		assert.deepEqual(executed.slice(2), [begin, commit, begin, commit]);
		assert.equal(keys().length, 26);
	}));

test("one of them that meets a taken key, or changes nothing, takes back its own statements only", () =>
	withCommits(async ({ commits, keys }) => {
		const rename = { sql: "update entries set text = ? where key = ?", resultKind: "change" } as const;
		const toRename = (key: string): Step => ({ statement: rename, bindings: ["new", key] });
		const writes = [
			toSilent([..."12345678", "a"], toRename("a")),
			toSilent(["b"], toRename("nowhere")),
			toSilent(["c", "a"]),
			toSilent(["d"], toRename("a"), toRename("d")),
		];
		const settled = await Promise.allSettled(writes.map((write) => commits.write(write)));
		assert.deepEqual(
			settled.map(({ status }) => status),
			["fulfilled", "rejected", "rejected", "fulfilled"],
		);
		assert.deepEqual(keys(), [..."12345678", "a", "d"]);
		// Nothing of the first attempt is left in the way.
		await commits.write(toSilent(["b", "c"]));
		assert.deepEqual(keys(), [..."12345678", "a", "b", "c", "d"]);
	}));

test("one of them alone that changes nothing fails", () =>
	withCommits(async ({ commits, keys }) => {
		const statement = { sql: "delete from entries where key = ?", resultKind: "change" } as const;
		await assert.rejects(commits.write(toSilent([..."acdefghijklm"], { statement, bindings: ["b"] })), /no row matched/);
		assert.deepEqual(keys(), []);
	}));

test("while another process writes, a text waits for it without holding the event loop", () =>
	withCommits(async ({ commits, connect, keys }) => {
		const other = connect();
		other.exec(begin);
		const written = commits.write(toSilent([..."abcdefghijkl"]));
		for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 5));
		assert.deepEqual(keys(), []);
		other.exec("ROLLBACK");
		other.close();
		await written;
		assert.deepEqual(keys(), [..."abcdefghijkl"]);
	}));

test.run();
