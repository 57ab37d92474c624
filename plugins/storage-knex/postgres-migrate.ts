import { SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { sqlStateOf } from "../_postgres/errors.ts";
import { migrate, planMigrations } from "./migrate.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { createPostgresKnex } from "./postgres-knex.ts";
import type { PostgresSettings } from "./postgres-options.ts";

/** First key of the advisory lock for migrations; the second depends on the schema. */
const advisoryLockNumber = 1_936_092_001;

/** Oldest supported `server_version_num`: PostgreSQL 13. */
const minServerVersion = 130_000;

/**
 * Migrates the tables to the state that this version needs. One node migrates while other nodes wait; they then find no pending migrations.
 * Throws `SVC_CONFIG` if the user lacks the privileges, and `SVC_UNAVAILABLE` if another node holds the lock for more than 20 s.
 *
 * @param connection connection that the caller must close afterwards, because its settings and its lock remain until then
 */
export async function migratePostgres(connection: PostgresConnection, settings: PostgresSettings): Promise<void> {
	try {
		await createSchema(connection, settings);
		await lock(connection, settings);
		await withKnex(connection, (knex) => migrate(knex, settings.label));
	} catch (error) {
		if (sqlStateOf(error) !== "42501") throw error;
		throw new SvcError("SVC_CONFIG", `user "${settings.user}" may not change the tables of ${settings.label}: ${toErrorMessage(error)}`, {
			cause: error,
		});
	}
}

/** Returns the names of the pending migrations. Throws `SVC_CONFIG` for a database of a newer version. Changes nothing. */
export async function planPostgres(connection: PostgresConnection, settings: PostgresSettings): Promise<readonly string[]> {
	return withKnex(connection, (knex) => planMigrations(knex, settings.label));
}

/** Throws `SVC_CONFIG` if the server is older than PostgreSQL 13, or the encoding of the database is not UTF8. */
export async function assertUsable(connection: PostgresConnection, { label }: PostgresSettings): Promise<void> {
	const { rows } = await connection.query(
		"select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding",
		[],
	);
	const [server] = rows as readonly { readonly version: number; readonly encoding: string }[];
	if (!server) throw new Error("the server did not report its version");
	if (server.version < minServerVersion)
		throw new SvcError(
			"SVC_CONFIG",
			`the database ${label} runs on PostgreSQL ${Math.floor(server.version / 10_000)}; 13 or newer is required`,
		);
	if (server.encoding !== "UTF8")
		throw new SvcError("SVC_CONFIG", `the database ${label} has the encoding ${server.encoding}; UTF8 is required`);
}

async function createSchema(connection: PostgresConnection, { schema, user }: PostgresSettings): Promise<void> {
	if (schema === undefined) return;
	try {
		await connection.execute(`create schema if not exists "${schema}"`);
	} catch (error) {
		// If several nodes create the schema at the same time, one succeeds, and the other nodes get one of these errors.
		if (sqlStateOf(error) === "23505" || sqlStateOf(error) === "42P06") return;
		if (sqlStateOf(error) !== "42501") throw error;
		throw new SvcError("SVC_CONFIG", `storage.schema "${schema}" does not exist, and user "${user}" may not create it`, {
			cause: error,
		});
	}
}

/** Takes the advisory lock for migrations. It belongs to the connection, so the server releases it if the process ends. */
async function lock(connection: PostgresConnection, { label }: PostgresSettings): Promise<void> {
	try {
		await connection.execute("set statement_timeout = 0; set lock_timeout = '20s'");
		await connection.execute(`select pg_advisory_lock(${advisoryLockNumber}, hashtext(current_schema()))`);
	} catch (error) {
		if (sqlStateOf(error) !== "55P03") throw error;
		throw new SvcError("SVC_UNAVAILABLE", `timed out waiting for another node to migrate the tables of ${label}`, { cause: error });
	}
}

async function withKnex<T>(
	connection: PostgresConnection,
	work: (knex: Awaited<ReturnType<typeof createPostgresKnex>>) => Promise<T>,
): Promise<T> {
	const knex = await createPostgresKnex(connection);
	try {
		return await work(knex);
	} finally {
		await knex.destroy();
	}
}
