import { setTimeout as wait } from "node:timers/promises";
import type { Knex } from "knex";
import { type EntityKind, isSvcError, SvcError } from "../../core/contract/index.ts";
import { fromConnectError, isCollision } from "../_postgres/errors.ts";
import type { PostgresTarget } from "../_postgres/options.ts";
import { ConnectionLostError } from "./connection-lost.ts";
import {
	type Database,
	type DatabaseClient,
	type Dialect,
	type StatementResult,
	type Step,
	StepError,
	type Write,
} from "./database-client.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { createConnectionSource, type PostgresConnectionSource } from "./postgres-connection-source.ts";
import { PostgresGroupCommit } from "./postgres-group-commit.ts";
import { createPostgresKnex } from "./postgres-knex.ts";
import { assertUsable, migratePostgres, planPostgres } from "./postgres-migrate.ts";
import { type PostgresSettings, type PostgresStorageOptions, parsePostgresStorageOptions } from "./postgres-options.ts";
import { runWrite, toStorageError } from "./postgres-write.ts";
import { toTable } from "./table-names.ts";
import type { Binding } from "./values.ts";

/** Maximum attempts of a write that conflicts with others. */
const maxWriteAttempts = 10;

export function createPostgresDatabase(options: PostgresStorageOptions): Database {
	return {
		capabilities: { shared: true, durable: true },
		async check() {
			const settings = parsePostgresStorageOptions(options);
			await createPostgresKnex();
			await createConnectionSource(settings, true);
		},
		open: () => openPostgres(options, false),
		openReadOnly: () => openPostgres(options, true),
		backup: async (_context, file) => {
			throw toUnsupportedError(options, (target) => `pg_dump --format=custom --file=${toShellWord(file)} ${target}`);
		},
		restore: async (_context, file) => {
			throw toUnsupportedError(
				options,
				(target) => `pg_restore --no-owner --exit-on-error ${target} ${toShellWord(file)}, into an empty database`,
			);
		},
		location: () => parsePostgresStorageOptions(options).label,
		async plan() {
			const settings = parsePostgresStorageOptions(options);
			const { connection } = await openFirst(settings, true);
			try {
				return await planPostgres(connection, settings);
			} catch (error) {
				throw toStorageError(error);
			} finally {
				await connection.end();
			}
		},
	};
}

/** Returns the `SVC_CONFIG` for `backup` and `restore`. PostgreSQL's own tools do both and must match the version of the server. */
function toUnsupportedError(options: PostgresStorageOptions, toCommand: (target: string) => string): SvcError {
	const { server, label } = parsePostgresStorageOptions(options);
	const toArguments = (target: PostgresTarget) =>
		`-h ${toShellWord(target.host)} -p ${target.port} -U ${toShellWord(target.user)} -d ${toShellWord(target.database)}`;
	const command = toCommand("pool" in server ? "…" : toArguments(server.target));
	return new SvcError("SVC_CONFIG", `the database ${label} is backed up and restored with PostgreSQL's own tools; hint: ${command}`);
}

/** Quotes an argument for a shell, if necessary. */
function toShellWord(text: string): string {
	return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

async function openPostgres(options: PostgresStorageOptions, readOnly: boolean): Promise<DatabaseClient> {
	const settings = parsePostgresStorageOptions(options);
	const { source, connection } = await openFirst(settings, readOnly);
	const client = new PostgresClient(await createPostgresKnex(), source);
	try {
		const pending = await useFirst(connection, source, async () => {
			await assertUsable(connection, settings);
			return planPostgres(connection, settings);
		});
		if (pending.length > 0 && !readOnly) await client.useDedicated((dedicated) => migratePostgres(dedicated, settings));
		return client;
	} catch (error) {
		await client.stop();
		throw toStorageError(error);
	}
}

interface FirstConnection {
	readonly source: PostgresConnectionSource;
	readonly connection: PostgresConnection;
}

/** Opens the first connection. Throws `SVC_CONFIG` if a wrong configuration is the reason for a failure, otherwise `SVC_UNAVAILABLE`. */
async function openFirst(settings: PostgresSettings, readOnly: boolean): Promise<FirstConnection> {
	const source = await createConnectionSource(settings, readOnly);
	try {
		return { source, connection: await source.openDedicated() };
	} catch (error) {
		throw fromConnectError(error, settings.label);
	}
}

/** Calls `work` with the first connection reserved, then hands it over to the source. */
async function useFirst<T>(connection: PostgresConnection, { watch, adopt }: PostgresConnectionSource, work: () => Promise<T>): Promise<T> {
	watch.begin(connection);
	try {
		return await work();
	} finally {
		watch.end(connection);
		await adopt(connection);
	}
}

class PostgresClient implements DatabaseClient {
	readonly dialect = postgresDialect;
	readonly knex: Knex;
	readonly #source: PostgresConnectionSource;
	readonly #groups: PostgresGroupCommit;

	constructor(knex: Knex, source: PostgresConnectionSource) {
		this.knex = knex;
		this.#source = source;
		this.#groups = new PostgresGroupCommit(source.connections, (write) => this.#writeSeparately(write));
	}

	async read(step: Step): Promise<StatementResult> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.#source.connections.use((connection) => connection.run(step));
			} catch (error) {
				// A read changes nothing, so it is repeated if the server has closed idle connections.
				if (!isClosedByServer(error) || attempt > this.#source.connections.size) throw toStorageError(error);
			}
		}
	}

	write<T>(write: Write<T>): Promise<T> {
		return write.shareable ? this.#groups.write(write) : this.#writeSeparately(write);
	}

	async #writeSeparately<T>(write: Write<T>): Promise<T> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.#source.connections.use((connection) => runWrite(connection, write));
			} catch (error) {
				const storageError = toStorageError(error);
				if (!isCollision(storageError)) throw storageError;
				if (attempt === maxWriteAttempts)
					throw new SvcError("SVC_UNAVAILABLE", "concurrent writes conflicted repeatedly", { cause: storageError });
				// Wait for a random time, so that the conflicting writes do not start at the same moment again.
				await wait(Math.random() * 10 * attempt);
			}
		}
	}

	async compact(kinds: Set<EntityKind>): Promise<boolean> {
		const [kind] = kinds;
		if (kind === undefined) return false;
		try {
			await this.useDedicated((connection) => vacuum(connection, toTable(kind)));
		} catch (error) {
			throw toStorageError(error);
		}
		kinds.delete(kind);
		return kinds.size > 0;
	}

	async stop(): Promise<void> {
		await this.#groups.finish();
		await this.#source.connections.stop();
		await this.#source.watch.stop();
	}

	/** Calls `work` with a new connection, which is closed afterwards. For statements that may take longer than the pool allows. */
	async useDedicated(work: (connection: PostgresConnection) => Promise<void>): Promise<void> {
		const { watch } = this.#source;
		const connection = await this.#source.openDedicated();
		watch.begin(connection, true);
		try {
			await work(connection);
		} finally {
			watch.end(connection);
			await connection.end();
		}
	}
}

async function vacuum(connection: PostgresConnection, table: string): Promise<void> {
	// Throttle it like autovacuum, so that other statements do not wait for the disk.
	await connection.execute("set statement_timeout = 0; set vacuum_cost_delay = 2");
	await connection.execute(`vacuum (skip_locked, analyze) "${table}"`);
}

function isClosedByServer(error: unknown): boolean {
	const cause = error instanceof StepError && isSvcError(error.cause) && error.cause.cause;
	return cause instanceof ConnectionLostError && !cause.isUnresponsive;
}

export const postgresDialect: Dialect = {
	inList: "?? = any(?)",
	withoutIndex: (condition) => `(${condition}) is true`,
	contains: "strpos(??, ?) > 0",
	toList: (values) => `{${values.map(toElement).join()}}`,
	// `JSON.stringify` writes no leading space, so the first character shows whether the JSON is an array.
	append: `case when :column: like '[%'
		then concat(left(:column:, -1), case when :column: = '[]' then '' else ',' end, cast(:value as text), ']')
		else :column: end`,
	order: { asc: "?? asc nulls first", desc: "?? desc nulls last" },
	locksRows: true,
	countsEveryRow: true,
	listTypes: { text: "text", json: "text", integer: "bigint", real: "double precision", boolean: "boolean" },
	failIfUnchanged: (sql) => `with changed as (${sql} returning 1) select 1 / count(*) from changed`,
	lockOrFail: (sql) => `with kept as (${sql} for share) select 1 / count(*) from kept`,
	timeQuery: "select (extract(epoch from clock_timestamp()) * 1000000)::bigint",
};

function toElement(value: Binding): string {
	if (value === null) return "null";
	return typeof value !== "string" ? String(value) : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
