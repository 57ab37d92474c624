// test-timeout: 120
// test-waits
import * as assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { Pool, type PoolConfig } from "pg";
import postgres from "postgres";
import { test } from "uvu";
import { createTestDatabase, postgresTest } from "../../core/testing/services/postgres.test-support.ts";
import { createTrace } from "../../core/testing/storage/fixtures.ts";
import { ConnectionLostError } from "./connection-lost.ts";
import { type KnexStorageOptions, knexStorage } from "./index.ts";
import { administer, dropEmptyDatabase, emptyDatabase, refused, startPostgresStorage } from "./postgres-database.test-support.ts";
import { borrow } from "./postgres-host-pool.ts";
import { startProxy } from "./postgres-proxy.test-support.ts";
import { toContext } from "./storage-context.test-support.ts";

const serverTest = postgresTest(test);

async function withPool(url: string, options: PoolConfig, use: (pool: Pool) => Promise<void>): Promise<void> {
	const pool = new Pool({ connectionString: url, ...options });
	// As every program with such a pool must: it says so when a connection goes that nobody uses.
	pool.on("error", () => {});
	try {
		await use(pool);
	} finally {
		await pool.end();
	}
}

const settings = ["jit", "lock_timeout", "plan_cache_mode", "search_path", "statement_timeout", "synchronous_commit", "vacuum_cost_delay"];

/** What every connection of the pool is set to. */
async function readSettings(pool: Pool): Promise<readonly string[][]> {
	const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
	const values: string[][] = [];
	for (const client of clients) {
		const { rows } = await client.query<{ readonly value: string }>(
			"select current_setting(name) as value from unnest($1::text[]) as name",
			[settings],
		);
		values.push(rows.map(({ value }) => value));
	}
	for (const client of clients) client.release();
	return values;
}

serverTest("a pool of the host is left as it was, and open", async () => {
	const database = await createTestDatabase();
	await withPool(database.url, { max: 3 }, async (pool) => {
		pool.on("connect", (client) => {
			client.query("set statement_timeout = '7s'; set search_path = \"it's\", public; set jit = on");
		});
		const before = await readSettings(pool);
		const storage = await startPostgresStorage({ pool, schema: "automation" });
		await storage.insert("trace", [createTrace("a"), createTrace("b")]);
		await storage.remove("trace", { where: { trace_tag: "a" } });
		await storage.compact?.();
		assert.equal(await storage.count("trace", {}), 1);
		assert.deepEqual(await readSettings(pool), before);
		await storage.stop?.();
		assert.deepEqual(await readSettings(pool), before);
		assert.deepEqual((await pool.query("select trace_tag from automation.traces")).rows, [{ trace_tag: "b" }]);
		// Other tests use databases of the same server meanwhile.
		const sessions = "from pg_stat_activity where datname = current_database()";
		const locks = `select 1 from pg_locks where locktype = 'advisory' and pid in (select pid ${sessions})`;
		assert.deepEqual((await pool.query(locks)).rows, []);
		assert.deepEqual((await pool.query(`select 1 ${sessions} and state like 'idle in transaction%'`)).rows, []);
		assert.equal(pool.listenerCount("error"), 1);
	});
	await database.drop();
});

serverTest("a pool of the host has connections left for the host, however much there is to write", async () => {
	const url = await emptyDatabase();
	await administer(
		url,
		`create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.5); return new; end $$;
		create trigger linger before insert on traces for each row execute function linger()`,
	);
	await withPool(url, { max: 4 }, async (pool) => {
		const storage = await startPostgresStorage({ pool });
		let written = 0;
		const writes = Array.from({ length: 6 }, (_, index) =>
			storage
				.write([
					{ insert: "trace", entities: [createTrace(`${index}`)] },
					{ remove: "token", where: {} },
				])
				.then(() => (written += 1)),
		);
		await Promise.all([pool.query("select pg_sleep(0.1)"), pool.query("select pg_sleep(0.1)")]);
		assert.equal(written, 0);
		await Promise.all(writes);
		await storage.stop?.();
	});
	await administer(url, "drop function linger cascade");
});

serverTest("a pool with no connection to give is an outage", async () => {
	await withPool(await emptyDatabase(), { max: 1 }, async (pool) => {
		const storage = await startPostgresStorage({ pool });
		const held = await pool.connect();
		await assert.rejects(
			storage.insert("trace", [createTrace("a")]),
			refused("SVC_UNAVAILABLE", /pool of the host had no free connection/),
		);
		held.release();
		await storage.insert("trace", [createTrace("b")]);
		assert.equal(await storage.count("trace", {}), 1);
		await storage.stop?.();
	});
});

serverTest("connections of the host that are cut are an outage, and both go on afterwards", async () => {
	const proxy = await startProxy(await emptyDatabase());
	await withPool(proxy.url, { max: 4 }, async (pool) => {
		const storage = await startPostgresStorage({ pool });
		for (let round = 0; round < 10; round++) {
			// So that there is a connection to be cut.
			await pool.query("select 1");
			proxy.swallowAnswers();
			const arrived = proxy.waitForStatements(1);
			const write = storage.insert("trace", [createTrace(`lost ${round}`)]);
			const lost = assert.rejects(write, refused("SVC_UNAVAILABLE"));
			await arrived;
			const theirs = pool.query("select 1").catch(() => {});
			proxy.thaw();
			await Promise.all([lost, theirs]);
			await storage.insert("trace", [createTrace(`kept ${round}`)]);
			assert.deepEqual((await pool.query("select 1 as one")).rows, [{ one: 1 }]);
		}
		assert.equal(await storage.count("trace", { trace_tag: { prefix: "kept" } }), 10);
		await storage.stop?.();
	});
	await proxy.stop();
});

serverTest("a borrowed connection that is given up is closed, so that nobody gets it who would wait with it", async () => {
	await withPool(await emptyDatabase(), { max: 2 }, async (pool) => {
		const connection = await borrow(pool, "set local jit = off");
		const running = connection.runAll([{ statement: { sql: "select pg_sleep(60)", resultKind: "row" }, bindings: [] }]);
		const rejected = assert.rejects(running, /a step has failed/);
		await setTimeout(100);
		connection.markLost(new ConnectionLostError("the server did not respond to a statement"));
		await rejected;
		assert.equal(pool.totalCount, 0);
	});
});

serverTest("a server that refuses the host's pool is named", async () => {
	const { hostname, port } = new URL(await emptyDatabase());
	const nobody = { host: hostname, user: "nobody", password: "geheim", database: "nowhere", connectionString: undefined };
	await withPool("postgres://nobody:geheim@127.0.0.1:1/elsewhere", {}, async (pool) => {
		await assert.rejects(
			startPostgresStorage({ pool }),
			refused("SVC_UNAVAILABLE", /the database 127\.0\.0\.1:1\/elsewhere cannot be used/),
		);
	});
	await withPool("", { ...nobody, port: 1 }, async (pool) => {
		await assert.rejects(startPostgresStorage({ pool }), refused("SVC_UNAVAILABLE", /:1\/nowhere cannot be used: .*ECONNREFUSED/));
	});
	await withPool("", { ...nobody, port: Number(port) }, async (pool) => {
		await assert.rejects(startPostgresStorage({ pool }), refused("SVC_CONFIG", /\/nowhere cannot be used: .*"nobody"/));
	});
});

test("what is no pool of pg is refused", async () => {
	const pool = new Pool({ host: "127.0.0.1", port: 1, user: "ann", password: "geheim", database: "svc" });
	const wrong: readonly (readonly [object, RegExp])[] = [
		[{ pool: "postgres://ann@db" }, /^storage\.pool must be a Pool of the package pg 8/],
		[{ pool: { connect() {}, query() {} } }, /^storage\.pool must be a Pool/],
		[{ pool: postgres("postgres://ann@127.0.0.1:1/svc") }, /^storage\.pool must be a Pool/],
		[{ pool, url: "postgres://ann:geheim@db/svc" }, /^storage\.url and storage\.pool cannot be combined/],
		[{ pool, ssl: true }, /^storage\.ssl and storage\.pool cannot be combined/],
		[{ pool, pool_size: 0 }, /^storage\.pool_size must be/],
		[{ pool, size: 5 }, /^storage\.size is unknown .*pool/],
	];
	// The compiler refuses them too.
	// @ts-expect-error a pool says itself where it leads
	knexStorage({ client: "postgres", pool, url: "postgres://ann@db/svc" });
	// @ts-expect-error a pool of another package
	knexStorage({ client: "postgres", pool: postgres("postgres://ann@127.0.0.1:1/svc") });
	// @ts-expect-error neither url nor pool
	knexStorage({ client: "postgres", schema: "automation" });
	for (const [options, message] of wrong) {
		const storage = knexStorage({ client: "postgres", ...options } as unknown as KnexStorageOptions).create();
		await assert.rejects(async () => storage.start?.(toContext("/nonexistent")), refused("SVC_CONFIG", message));
		await storage.stop?.();
	}
	await pool.end();
});

test.after(dropEmptyDatabase);

test.run();
