// test-timeout: 180
import * as assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "uvu";
import { isSvcError, type Storage } from "../../core/contract/index.ts";
import { postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { createChunk, createExecution, createToken, createTrace, nextId } from "../../core/testing/storage/fixtures.ts";
import { type KnexStorageOptions, knexStorage } from "./index.ts";
import { administer, dropEmptyDatabase, emptyDatabase, refused, startPostgresStorage } from "./postgres-database.test-support.ts";
import { startProxy } from "./postgres-proxy.test-support.ts";
import { toContext, withDirectory } from "./storage-context.test-support.ts";

const serverTest = postgresTest(test);

test("wrong options are refused with their names, and no password is shown", async () => {
	const url = "postgres://ann:geheim@127.0.0.1:1/svc";
	const wrong: readonly (readonly [object, RegExp])[] = [
		[{}, /^storage\.url is required/],
		[{ url: 5 }, /^storage\.url is required/],
		[{ url: "ann:geheim@db" }, /^storage\.url must begin with postgres:/],
		[{ url: "postgres://ann:ge#heim@db:x/svc" }, /^storage\.url is not a valid URL/],
		[{ url: "mysql://ann:geheim@db" }, /^storage\.url must begin with/],
		[{ url: "postgres:///svc" }, /^storage\.url must contain a host/],
		[{ url: "postgres://db/svc" }, /^storage\.url must contain a user/],
		[{ url: `${url}?colour=1` }, /^storage\.url has the parameter "colour"; allowed are/],
		[{ url: `${url}?sslmode=maybe` }, /sslmode "maybe"; allowed are disable/],
		[{ url, schema: "" }, /^storage\.schema/],
		[{ url, schema: 'a"b' }, /^storage\.schema/],
		[{ url, schema: "pg_x" }, /^storage\.schema/],
		[{ url, pool_size: 0 }, /^storage\.pool_size must be a whole number from 1 to 100/],
		[{ url, pool_size: "5" }, /^storage\.pool_size/],
		[{ url, ssl: "yes" }, /^storage\.ssl must be true, false or an object/],
		[{ url, ssl: { ca: "x" } }, /^storage\.ssl\.ca is unknown; allowed are cacert/],
		[{ url, ssl: { verify: "no" } }, /^storage\.ssl\.verify must be a boolean/],
		[{ url, ssl: { cacert: "/nonexistent" } }, /^storage\.ssl\.cacert "\/nonexistent" cannot be read/],
		[{ url, file: "x.db" }, /^storage\.file is unknown with client "postgres"/],
	];
	for (const [options, message] of wrong) {
		const given = { client: "postgres", ...options } as unknown as KnexStorageOptions;
		const storage = knexStorage(given).create();
		await assert.rejects(async () => storage.start?.(toContext("/nonexistent")), refused("SVC_CONFIG", message));
		await storage.stop?.();
	}
	const away = knexStorage({ client: "postgres", url }).create();
	assert.deepEqual(away.capabilities, { shared: true, durable: true });
	await assert.rejects(async () => away.start?.(toContext("/nonexistent")), refused("SVC_UNAVAILABLE", /127\.0\.0\.1:1\/svc/));
});

serverTest("the storage at another address is the one that the address names", async () => {
	const url = new URL(await emptyDatabase());
	const plugin = knexStorage({ client: "sqlite" });
	url.searchParams.set("schema", "elsewhere");
	const there = plugin.at?.(url.href).create();
	assert.equal(there?.capabilities.shared, true);
	await there?.start?.(toContext("/nonexistent"));
	await there?.insert("trace", [createTrace("there")]);
	await there?.stop?.();
	url.searchParams.delete("schema");
	const found = await administer<{ readonly trace_tag: string }>(url.href, "select trace_tag from elsewhere.traces");
	assert.deepEqual(found, [{ trace_tag: "there" }]);
	await administer(url.href, "drop schema elsewhere cascade");
});

test("a file is an address too, with sqlite: in front or without", () =>
	withDirectory(async (directory) => {
		const plugin = knexStorage({ client: "postgres", url: "postgres://ann@127.0.0.1:1/svc" });
		const trace = createTrace("kept");
		for (const address of [join(directory, "a.db"), `sqlite:${join(directory, "a.db")}`, `sqlite://${join(directory, "a.db")}`]) {
			const storage = plugin.at?.(address).create();
			assert.equal(storage?.capabilities.shared, false);
			await storage?.start?.(toContext("/nonexistent"));
			if ((await storage?.get("trace", trace.id)) === undefined) await storage?.insert("trace", [trace]);
			assert.equal(await storage?.count("trace", {}), 1);
			await storage?.stop?.();
		}
		for (const address of ["mysql://x/y", "sqlite:", ""])
			assert.throws(
				() => plugin.at?.(address),
				(error) => isSvcError(error, "SVC_CONFIG"),
			);
	}));

serverTest("writes that lock each other out are run again, unseen", async () => {
	const url = await emptyDatabase();
	const storages = await Promise.all([startPostgresStorage({ url }), startPostgresStorage({ url })]);
	const [first, second] = [createToken("first"), createToken("second")];
	await storages[0].insert("token", [first, second]);
	// Each holds the first of its rows long enough for the other one to hold its own.
	await administer(
		url,
		`create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.4); return new; end $$;
		create trigger linger after update on tokens for each row execute function linger()`,
	);
	const write = (storage: Storage, ids: readonly string[], user: string) =>
		storage.write(ids.map((id) => ({ update: "token", id, patch: { user } })));
	await Promise.all([write(storages[0], [first.id, second.id], "ann"), write(storages[1], [second.id, first.id], "bob")]);
	const users = (await storages[0].find("token", {})).map(({ user }) => user);
	assert.equal(new Set(users).size, 1);
	await administer(url, "drop function linger cascade");
	const deadlocks = "select deadlocks::int as count from pg_stat_database where datname = current_database()";
	await Promise.all(storages.map((storage) => storage.stop?.()));
	const [found] = await administer<{ readonly count: number }>(url, deadlocks);
	assert.ok(Number(found?.count) > 0, "they did lock each other out");
});

serverTest("a serialization failure is run again, and is unavailable when it does not end", async () => {
	const url = await emptyDatabase();
	const storage = await startPostgresStorage({ url });
	const failFirst = (times: number) =>
		administer(
			url,
			`create sequence attempts; create function collide() returns trigger language plpgsql as $$
			begin if nextval('attempts') <= ${times} then raise exception using errcode = '40001'; end if; return new; end $$;
			create trigger collide before insert on traces for each row execute function collide()`,
		);
	try {
		await failFirst(3);
		await storage.insert("trace", [createTrace("a")]);
		assert.equal(await storage.count("trace", {}), 1);
		await administer(url, "drop function collide cascade; drop sequence attempts");
		await failFirst(1_000);
		await assert.rejects(storage.insert("trace", [createTrace("b")]), refused("SVC_UNAVAILABLE", /conflicted repeatedly/));
	} finally {
		await administer(url, "drop function if exists collide cascade; drop sequence if exists attempts");
		await storage.stop?.();
	}
});

serverTest("a write is one round trip, a compound one too", async () => {
	const proxy = await startProxy(await emptyDatabase());
	const storage = await startPostgresStorage({ url: proxy.url, pool_size: 1 });
	const execution = createExecution();
	await storage.insert("execution", [execution]);
	const write = (status: "scheduled" | "running") =>
		storage.write([
			{ insert: "trace", entities: [createTrace("a")] },
			{ update: "execution", id: execution.id, patch: { status }, expected: { user: "admin" } },
		]);
	await write("scheduled");
	// With every answer held back, what comes to the proxy is what is sent without waiting for any.
	let seen: string[] = [];
	proxy.onStatement = (_, text) => void seen.push(text.split("\0")[0] ?? "");
	proxy.holdAnswers();
	const written = write("running");
	await proxy.waitForStatements(4);
	proxy.releaseAnswers();
	await written;
	assert.equal(seen[0], "begin");
	assert.equal(seen.at(-1), "commit");
	assert.equal(seen.length, 4);
	seen = [];
	await storage.update("execution", execution.id, { status: "failed" });
	await storage.update("execution", execution.id, { status: "failed" });
	assert.equal(seen.length, 2);
	await storage.stop?.();
	await proxy.stop();
});

serverTest("long texts are compressed by lz4 where the server has it", async () => {
	const url = await emptyDatabase();
	const storage = await startPostgresStorage({ url });
	try {
		await storage.insert("output_chunk", [createChunk(nextId(), 1, "a line of output\n".repeat(4_000))]);
		const [{ available } = { available: false }] = await administer<{ readonly available: boolean }>(
			url,
			"select 'lz4' = any(enumvals) as available from pg_settings where name = 'default_toast_compression'",
		);
		const found = await administer(url, "select pg_column_compression(data) as compression from output_chunks");
		assert.deepEqual(found, [{ compression: available ? "lz4" : "pglz" }]);
	} finally {
		await storage.stop?.();
	}
});

serverTest("only writes of relaxed kinds do not wait for the disk", async () => {
	const proxy = await startProxy(await emptyDatabase());
	const storage = await startPostgresStorage({ url: proxy.url });
	const seen: string[] = [];
	proxy.onStatement = (_, text) => void seen.push(text);
	await storage.insert("output_chunk", [createChunk(nextId(), 1)]);
	assert.ok(seen.some((text) => text.includes("set local synchronous_commit = off")));
	seen.length = 0;
	await storage.write([
		{ insert: "output_chunk", entities: [createChunk(nextId(), 1)] },
		{ insert: "trace", entities: [createTrace("a")] },
	]);
	assert.ok(!seen.some((text) => text.includes("synchronous_commit")));
	await storage.stop?.();
	await proxy.stop();
});

serverTest("a text too long for an index is refused as too large", async () => {
	const storage = await startPostgresStorage({ url: await emptyDatabase() });
	// Random, as the database would compress what repeats itself.
	const tag = Array.from({ length: 20_000 }, () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000))).join("");
	await assert.rejects(storage.insert("trace", [createTrace(tag)]), refused("SVC_TOO_LARGE", /too long/));
	await storage.insert("trace", [createTrace("short")]);
	await storage.stop?.();
});

serverTest("room of removed entities is used again and given back, one table a call", async () => {
	const url = await emptyDatabase();
	const storage = await startPostgresStorage({ url });
	const sizeOf = async (table: string) =>
		Number((await administer<{ readonly size: string }>(url, `select pg_relation_size('${table}') as size`))[0]?.size);
	await storage.insert(
		"output_chunk",
		Array.from({ length: 3_000 }, (_, index) => createChunk("a", index + 1, "x".repeat(1_000))),
	);
	await storage.insert(
		"trace",
		Array.from({ length: 1_000 }, (_, index) => createTrace(`${index}`)),
	);
	const full = await sizeOf("output_chunks");
	assert.equal(await storage.compact?.(), false);
	await storage.remove("output_chunk", { where: { sequence: { gt: 10 } } });
	await storage.write([{ remove: "trace", where: { trace_tag: { not: "0" } } }]);
	assert.equal(await storage.compact?.(), true);
	assert.ok((await sizeOf("output_chunks")) < full / 10);
	assert.equal(await storage.compact?.(), false);
	assert.equal(await storage.compact?.(), false);
	await storage.stop?.();
});

test.after(dropEmptyDatabase);

test.run();
