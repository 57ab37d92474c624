import * as assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { test } from "uvu";
import { memoryBus } from "../../plugins/event-bus-memory/index.ts";
import { knexStorage } from "../../plugins/storage-knex/index.ts";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import { createTestDatabase, postgresTest } from "../testing/services/postgres.test-support.ts";
import { createEngine } from "./service.ts";

postgresTest(test)("an engine works on the host's pool of connections while the host does", async () => {
	const [database, directory] = [await createTestDatabase(), await mkdtemp(join(tmpdir(), "svc-pool-"))];
	const pool = new Pool({ connectionString: database.url, max: 4 });
	// The database goes while its last connections do.
	pool.on("error", () => {});
	await pool.query("create table orders (id int primary key)");
	const storage = knexStorage({ client: "postgres", pool, schema: "automation" });
	const config = {
		storage,
		event_bus: memoryBus(),
		runners: [localCommand()],
		data_dir: directory,
		log: { level: "error" },
		auth: { enable: false },
	} as const;
	const engine = createEngine(config, { directory });
	try {
		await engine.start();
		const runs = Array.from({ length: 8 }, async () => {
			let text = "";
			for await (const { data } of engine.run("core.local", { cmd: "seq 500" }).output) text += data;
			return text;
		});
		const own = Array.from({ length: 50 }, (_, id) => pool.query("insert into orders values ($1)", [id]));
		const expected = Array.from({ length: 500 }, (_, index) => `${index + 1}\n`).join("");
		assert.deepEqual(new Set(await Promise.all(runs)), new Set([expected]));
		await Promise.all(own);
		assert.ok(pool.totalCount <= 4);
		await engine.stop();
		const { rows } = await pool.query(
			"select (select count(*)::int from automation.executions) as runs, (select count(*)::int from orders) as orders",
		);
		assert.deepEqual(rows, [{ runs: 8, orders: 50 }]);
	} finally {
		await engine.abort();
		await pool.end();
		await database.drop();
		await rm(directory, { recursive: true });
	}
});

test.run();
