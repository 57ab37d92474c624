import { SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { sqlStateOf } from "../_postgres/errors.ts";
import { migrate, planMigrations } from "./migrate.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { createPostgresKnex } from "./postgres-knex.ts";
import type { PostgresSettings } from "./postgres-options.ts";

/** Of every lock that this service takes by number. */
const lockNumber = 1_936_092_001;

const oldestVersion = 130_000;

/**
 * Bring the tables to the state this version needs. One node does it while the others wait; whoever comes later finds it done.
 *
 * @param connection one that is closed afterwards: settings and a lock stay with it
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

/** Names of the migrations that are to be run; throws for a database of a newer version. Changes nothing. */
export async function planPostgres(connection: PostgresConnection, settings: PostgresSettings): Promise<readonly string[]> {
	return withKnex(connection, (knex) => planMigrations(knex, settings.label));
}

/** Throws `SVC_CONFIG` for a server that cannot serve. */
export async function assertUsable(connection: PostgresConnection, { label }: PostgresSettings): Promise<void> {
	const { rows } = await connection.query(
		"select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding",
		[],
	);
	const [found] = rows as readonly { readonly version: number; readonly encoding: string }[];
	if (!found) throw new Error("the server has not said its version");
	if (found.version < oldestVersion)
		throw new SvcError("SVC_CONFIG", `the database ${label} is on PostgreSQL ${Math.floor(found.version / 10_000)}; 13 or newer is needed`);
	if (found.encoding !== "UTF8")
		throw new SvcError("SVC_CONFIG", `the database ${label} has the encoding ${found.encoding}; UTF8 is needed`);
}

async function createSchema(connection: PostgresConnection, { schema, user }: PostgresSettings): Promise<void> {
	if (schema === undefined) return;
	try {
		await connection.execute(`create schema if not exists "${schema}"`);
	} catch (error) {
		// Of several that make it at once, one succeeds and the others are told so.
		if (sqlStateOf(error) === "23505" || sqlStateOf(error) === "42P06") return;
		if (sqlStateOf(error) !== "42501") throw error;
		throw new SvcError("SVC_CONFIG", `storage.schema "${schema}" does not exist and user "${user}" may not make it`, {
			cause: error,
		});
	}
}

/** Held by the connection, so that it ends with the process that has it. */
async function lock(connection: PostgresConnection, { label }: PostgresSettings): Promise<void> {
	try {
		await connection.execute("set statement_timeout = 0; set lock_timeout = '20s'");
		await connection.execute(`select pg_advisory_lock(${lockNumber}, hashtext(current_schema()))`);
	} catch (error) {
		if (sqlStateOf(error) !== "55P03") throw error;
		throw new SvcError("SVC_UNAVAILABLE", `another node has been changing the tables of ${label} for long`, { cause: error });
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
