import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { createPluginContext } from "../plugin-context.ts";
import { startNats } from "../services/nats.test-support.ts";
import { startPostgres } from "../services/postgres.test-support.ts";
import { sqliteTemplateVariable } from "./backend-places.test-support.ts";

/** Servers that the tests of a run share, and the variables by which its processes find them. */
export interface RunServers {
	readonly environment: Readonly<Record<string, string>>;
	stop(): Promise<void>;
}

/** What is for large databases, or for those that live longer than a test run, and takes its time in each of hundreds of small ones. */
const withoutCare = { autovacuum: "off", wal_level: "minimal", max_wal_senders: "0" };

/** A server of PostgreSQL with a database of our tables: copies of it are made much quicker than the tables are. */
export async function startRunPostgres(): Promise<RunServers> {
	const server = await startPostgres(withoutCare);
	const { url } = await server.createDatabase();
	const storage = knexStorage({ client: "postgres", url }).create();
	await storage.start?.(createPluginContext()).finally(() => storage.stop?.());
	return {
		environment: { SVC_TEST_POSTGRES_URL: server.url, SVC_TEST_POSTGRES_TEMPLATE: new URL(url).pathname.slice(1) },
		stop: () => server.stop(),
	};
}

/** A database file of SQLite with our tables: a copy of it is there in a fifth of the time that making the tables takes. */
export async function makeRunSqlite(): Promise<RunServers> {
	const directory = await mkdtemp(join(tmpdir(), "svc-sqlite-"));
	const file = join(directory, "svc.db");
	const storage = knexStorage({ client: "sqlite", file }).create();
	await storage.start?.(createPluginContext()).finally(() => storage.stop?.());
	return { environment: { [sqliteTemplateVariable]: file }, stop: () => rm(directory, { recursive: true, force: true }) };
}

export async function startRunNats(): Promise<RunServers> {
	const server = await startNats();
	return { environment: { SVC_TEST_NATS_URL: server.url }, stop: () => server.stop() };
}
