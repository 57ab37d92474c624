// test-timeout: 300
// test-waits
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { isSvcError } from "../../core/contract/index.ts";
import { chosenExtent, sample } from "../../core/testing/extent.test-support.ts";
import { createTestDatabase, postgresTest, type TestDatabase } from "../../core/testing/services/postgres.test-support.ts";
import { createTrace } from "../../core/testing/storage/fixtures.ts";
import { knexStorage } from "./index.ts";
import { administer, startPostgresStorage } from "./postgres-database.test-support.ts";
import { startProxy } from "./postgres-proxy.test-support.ts";
import { assertPostgresSchema, readSchema } from "./postgres-schema.test-support.ts";
import { spawnChild } from "./spawn-child.test-support.ts";
import { listChanges, toContext } from "./storage-context.test-support.ts";

const migrationTest = postgresTest(test);
// One statement in so many is cut off; CUT_EVERY=1 cuts off each, which takes minutes. Where it begins is left to chance, so that a few
// runs have been everywhere; CUT_FROM repeats what a failed test has tried.
const every = Number(process.env["CUT_EVERY"] ?? { short: 40, full: 25 }[chosenExtent()]);
const from = Number(process.env["CUT_FROM"] ?? 1 + (Date.now() % every));
const names = listChanges();

const withDatabase = (run: (database: TestDatabase) => Promise<void>) => async () => {
	const database = await createTestDatabase();
	try {
		await run(database);
	} finally {
		await database.drop();
	}
};

async function startAndStop(url: string, schema?: string): Promise<void> {
	const storage = await startPostgresStorage({ url, ...(schema === undefined ? {} : { schema }) });
	await storage.stop?.();
}

async function readPlan(url: string, schema: string): Promise<readonly string[] | undefined> {
	const storage = knexStorage({ client: "postgres", url, schema }).create();
	try {
		return await storage.plan?.(toContext("/nonexistent"));
	} finally {
		await storage.stop?.();
	}
}

migrationTest(
	"the migrated tables are what the entity kinds say, text compares by code point, and no name of an index is cut",
	withDatabase(async ({ url }) => {
		await startAndStop(url);
		await assertPostgresSchema(url);
		const [longest] = await administer<{ readonly length: number }>(url, "select max(length(indexname)) as length from pg_indexes");
		assert.ok(Number(longest?.length) < 63);
	}),
);

migrationTest(
	"nodes that start at the same time run each migration once",
	withDatabase(async ({ url }) => {
		const storages = await Promise.all(Array.from({ length: 4 }, () => startPostgresStorage({ url, schema: "Shared nodes" })));
		await Promise.all(storages.map((storage, index) => storage.insert("trace", [createTrace(`${index}`)])));
		for (const storage of storages) assert.equal(await storage.count("trace", {}), storages.length);
		await Promise.all(storages.map((storage) => storage.stop?.()));
		const rows = await administer<{ readonly name: string }>(url, 'select name from "Shared nodes".migrations order by id');
		const done = rows.map(({ name }) => name);
		assert.equal(new Set(done).size, done.length);
		assert.deepEqual(
			names.filter((name) => !done.includes(name)),
			[],
		);
	}),
);

migrationTest(
	"a plan names what a start would run, and makes nothing",
	withDatabase(async ({ url }) => {
		assert.deepEqual(await readPlan(url, "planned"), names);
		assert.deepEqual(await administer(url, "select 1 from pg_tables where schemaname not in ('pg_catalog', 'information_schema')"), []);
		assert.deepEqual(await administer(url, "select 1 from pg_namespace where nspname = 'planned'"), []);
		await startAndStop(url, "planned");
		assert.deepEqual(await readPlan(url, "planned"), []);
		await administer(url, `delete from planned.migrations where name = '${names.at(-1)}'`);
		assert.deepEqual(await readPlan(url, "planned"), names.slice(-1));
	}),
);

migrationTest(
	"a database of a newer version is refused, naming what is unknown",
	withDatabase(async ({ url }) => {
		await startAndStop(url);
		await administer(url, "insert into migrations (name, batch) values ('9999-later', 2)");
		const refused = (error: unknown) => isSvcError(error, "SVC_CONFIG") && /newer version.*9999-later/.test(error.message);
		await assert.rejects(startAndStop(url), refused);
		await administer(url, "delete from migrations where name = '9999-later'");
		await startAndStop(url);
	}),
);

migrationTest(
	`a start that is cut off at any statement is completed by the next one, CUT_FROM=${from}`,
	withDatabase(async ({ url }) => {
		const proxy = await startProxy(url);
		await startAndStop(proxy.url, "whole");
		const whole = await readSchema(url, "whole");
		const statements = proxy.statements;
		assert.ok(statements > 100);
		for (let statement = from; statement <= statements; statement += every) {
			const schema = `cut_${statement}`;
			const last = proxy.statements + statement;
			proxy.onStatement = async (number) => {
				if (number !== last) return;
				// The network goes, or the process in the server that works for this connection.
				if (Math.floor(statement / every) % 2 === 0) proxy.cut();
				else
					await administer(
						url,
						"select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'svc' and datname = current_database()",
					);
			};
			await startAndStop(proxy.url, schema).catch((error) => assert.ok(isSvcError(error, "SVC_UNAVAILABLE"), String(error)));
			proxy.onStatement = () => {};
			await assertCompletes(url, schema, whole);
		}
		await proxy.stop();
	}),
);

migrationTest(
	"a process that is killed while it migrates holds nobody up",
	withDatabase(async ({ url }) => {
		await startAndStop(url, "whole");
		const whole = await readSchema(url, "whole");
		for (const statement of sample([9, 60, 110], 3)) {
			const proxy = await startProxy(`${url}?schema=killed_${statement}`);
			const child = spawnChild("open", proxy.url);
			proxy.onStatement = async (number) => {
				if (number === statement) await child.kill();
			};
			await child.exit;
			await assertCompletes(url, `killed_${statement}`, whole);
			await proxy.stop();
		}
	}),
);

async function assertCompletes(url: string, schema: string, whole: unknown): Promise<void> {
	await startAndStop(url, schema);
	assert.deepEqual(await readSchema(url, schema), whole);
	await administer(url, `drop schema ${schema} cascade`);
}

test.run();
