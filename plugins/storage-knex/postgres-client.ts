import { setTimeout as wait } from "node:timers/promises";
import type { Knex } from "knex";
import { type EntityKind, isSvcError, SvcError } from "../../core/contract/index.ts";
import { fromConnectError, isCollision } from "../_postgres/errors.ts";
import type { PostgresTarget } from "../_postgres/options.ts";
import { ConnectionLostError } from "./connection-lost.ts";
import { type Answer, type Database, type DatabaseClient, type Dialect, type Step, StepError, type Write } from "./database-client.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { createPostgresKnex } from "./postgres-knex.ts";
import { assertUsable, migratePostgres, planPostgres } from "./postgres-migrate.ts";
import { type PostgresSettings, type PostgresStorageOptions, parsePostgresStorageOptions } from "./postgres-options.ts";
import { runRounds, toKnown } from "./postgres-rounds.ts";
import { createSource, type PostgresSource } from "./postgres-source.ts";
import { toTable } from "./table-names.ts";
import type { Binding } from "./values.ts";
import { WriteGroups } from "./write-groups.ts";

/** How often a write is run that meets another one in its way. */
const mostAttempts = 10;

export function createPostgresDatabase(options: PostgresStorageOptions): Database {
	return {
		capabilities: { shared: true, durable: true },
		async check() {
			const settings = parsePostgresStorageOptions(options);
			await createPostgresKnex();
			await createSource(settings, true);
		},
		open: () => openPostgres(options, false),
		openReadOnly: () => openPostgres(options, true),
		backup: async (_context, file) => {
			throw refuse(options, (target) => `pg_dump --format=custom --file=${toWord(file)} ${target}`);
		},
		restore: async (_context, file) => {
			throw refuse(options, (target) => `pg_restore --no-owner --exit-on-error ${target} ${toWord(file)}, into an empty database`);
		},
		place: () => parsePostgresStorageOptions(options).label,
		async plan() {
			const settings = parsePostgresStorageOptions(options);
			const { connection } = await openFirst(settings, true);
			try {
				return await planPostgres(connection, settings);
			} catch (error) {
				throw toKnown(error);
			} finally {
				await connection.end();
			}
		},
	};
}

/** The server has tools for that, which know its version. */
function refuse(options: PostgresStorageOptions, toCommand: (target: string) => string): SvcError {
	const { server, label } = parsePostgresStorageOptions(options);
	const words = (target: PostgresTarget) =>
		`-h ${toWord(target.host)} -p ${target.port} -U ${toWord(target.user)} -d ${toWord(target.database)}`;
	const command = toCommand("pool" in server ? "…" : words(server.target));
	return new SvcError("SVC_CONFIG", `the database ${label} is backed up and restored with PostgreSQL's own tools; hint: ${command}`);
}

/** For a shell. */
function toWord(text: string): string {
	return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

async function openPostgres(options: PostgresStorageOptions, readOnly: boolean): Promise<DatabaseClient> {
	const settings = parsePostgresStorageOptions(options);
	const { source, connection } = await openFirst(settings, readOnly);
	const client = new PostgresClient(await createPostgresKnex(), source);
	try {
		const pending = await useOnce(connection, source, async () => {
			await assertUsable(connection, settings);
			return planPostgres(connection, settings);
		});
		if (pending.length > 0 && !readOnly) await client.useAlone((alone) => migratePostgres(alone, settings));
		return client;
	} catch (error) {
		await client.stop();
		throw toKnown(error);
	}
}

interface First {
	readonly source: PostgresSource;
	readonly connection: PostgresConnection;
}

/** The first connection; what is wrong with the configuration shows here. */
async function openFirst(settings: PostgresSettings, readOnly: boolean): Promise<First> {
	const source = await createSource(settings, readOnly);
	try {
		return { source, connection: await source.openAlone() };
	} catch (error) {
		throw fromConnectError(error, settings.label);
	}
}

/** Use a connection before anybody else does, who may have it afterwards. */
async function useOnce<T>(connection: PostgresConnection, { watch, adopt }: PostgresSource, work: () => Promise<T>): Promise<T> {
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
	readonly #source: PostgresSource;
	readonly #groups: WriteGroups;

	constructor(knex: Knex, source: PostgresSource) {
		this.knex = knex;
		this.#source = source;
		this.#groups = new WriteGroups(source.connections, (write) => this.#writeAlone(write));
	}

	async read(step: Step): Promise<Answer> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.#source.connections.use((connection) => connection.run(step));
			} catch (error) {
				// Nothing was changed, so that connections the server has ended while they were idle need not be the caller's trouble.
				if (!isClosedByServer(error) || attempt > this.#source.connections.size) throw toKnown(error);
			}
		}
	}

	write<T>(write: Write<T>): Promise<T> {
		return write.shareable ? this.#groups.write(write) : this.#writeAlone(write);
	}

	async #writeAlone<T>(write: Write<T>): Promise<T> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.#source.connections.use((connection) => runRounds(connection, write));
			} catch (error) {
				const known = toKnown(error);
				if (!isCollision(known)) throw known;
				if (attempt === mostAttempts) throw new SvcError("SVC_UNAVAILABLE", "other writes kept getting in the way", { cause: known });
				// Whoever collided must not do so again by starting at the same moment.
				await wait(Math.random() * 10 * attempt);
			}
		}
	}

	async compact(kinds: Set<EntityKind>): Promise<boolean> {
		const [kind] = kinds;
		if (kind === undefined) return false;
		try {
			await this.useAlone((connection) => vacuum(connection, toTable(kind)));
		} catch (error) {
			throw toKnown(error);
		}
		kinds.delete(kind);
		return kinds.size > 0;
	}

	async stop(): Promise<void> {
		await this.#groups.finish();
		await this.#source.connections.stop();
		await this.#source.watch.stop();
	}

	/** Lend a connection that is given up afterwards, for what may take longer than other statements. */
	async useAlone(work: (connection: PostgresConnection) => Promise<void>): Promise<void> {
		const { watch } = this.#source;
		const connection = await this.#source.openAlone();
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
	// At the pace of the server's own, so that nobody waits for the disk because of it.
	await connection.execute("set statement_timeout = 0; set vacuum_cost_delay = 2");
	await connection.execute(`vacuum (skip_locked, analyze) "${table}"`);
}

function isClosedByServer(error: unknown): boolean {
	const lost = error instanceof StepError && isSvcError(error.cause) && error.cause.cause;
	return lost instanceof ConnectionLostError && !lost.isCut;
}

export const postgresDialect: Dialect = {
	inList: "?? = any(?)",
	aside: (condition) => `(${condition}) is true`,
	contains: "strpos(??, ?) > 0",
	toList: (values) => `{${values.map(toElement).join()}}`,
	// JSON as JSON.stringify writes it has no space in front, so that text tells arrays from the rest.
	append: `case when :column: like '[%'
		then concat(left(:column:, -1), case when :column: = '[]' then '' else ',' end, cast(:value as text), ']')
		else :column: end`,
	order: { asc: "?? asc nulls first", desc: "?? desc nulls last" },
	locksRows: true,
	countsEach: true,
	listTypes: { text: "text", json: "text", integer: "bigint", real: "double precision", boolean: "boolean" },
	toChange: (sql) => `with changed as (${sql} returning 1) select 1 / count(*) from changed`,
	toKept: (sql) => `with kept as (${sql} for share) select 1 / count(*) from kept`,
	now: "select (extract(epoch from clock_timestamp()) * 1000000)::bigint",
};

function toElement(value: Binding): string {
	if (value === null) return "null";
	return typeof value !== "string" ? String(value) : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
