import { setTimeout as wait } from "node:timers/promises";
import type { Knex } from "knex";
import { type EntityKind, isSvcError, SvcError } from "../../core/contract/index.ts";
import { fromConnectError, isCollision } from "../_postgres/errors.ts";
import { readTlsOptions } from "../_postgres/options.ts";
import { ConnectionLostError } from "./connection-lost.ts";
import { type Answer, type Database, type DatabaseClient, type Step, StepError, type Write } from "./database-client.ts";
import { importPostgres, PostgresConnection, type PostgresServer } from "./postgres-connection.ts";
import { postgresDialect } from "./postgres-dialect.ts";
import { createPostgresKnex } from "./postgres-knex.ts";
import { assertUsable, migratePostgres, planPostgres } from "./postgres-migrate.ts";
import { type PostgresSettings, type PostgresStorageOptions, parsePostgresStorageOptions } from "./postgres-options.ts";
import { PostgresPool } from "./postgres-pool.ts";
import { runRounds, toKnown } from "./postgres-rounds.ts";
import { ServerWatch } from "./server-watch.ts";
import { tableNames } from "./table-names.ts";
import { WriteGroups } from "./write-groups.ts";

/** How often a write is run that meets another one in its way. */
const mostAttempts = 10;

export function createPostgresDatabase(options: PostgresStorageOptions): Database {
	return {
		capabilities: { shared: true, durable: true },
		open: () => openPostgres(options),
		openReadOnly: () => openPostgres(options, { readOnly: true }),
		place: () => parsePostgresStorageOptions(options).target.label,
		async plan() {
			const settings = parsePostgresStorageOptions(options);
			const { connection } = await openFirst(settings);
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

async function openPostgres(
	options: PostgresStorageOptions,
	{ readOnly = false }: { readonly readOnly?: boolean } = {},
): Promise<DatabaseClient> {
	const settings = parsePostgresStorageOptions(options);
	const { server, connection } = await openFirst(settings, { readOnly });
	const open = () => PostgresConnection.open(server);
	const watch = new ServerWatch(open);
	const pool = new PostgresPool(open, { size: settings.poolSize, watch });
	pool.add(connection);
	const client = new PostgresClient({ knex: await createPostgresKnex(), pool, watch, open });
	try {
		const pending = await pool.use(async (first) => {
			await assertUsable(first, settings);
			return planPostgres(first, settings);
		});
		if (pending.length > 0 && !readOnly) await client.useAlone((alone) => migratePostgres(alone, settings));
		return client;
	} catch (error) {
		await client.stop();
		throw toKnown(error);
	}
}

/** The first connection; what is wrong with the configuration shows here. */
async function openFirst(
	settings: PostgresSettings,
	{ readOnly }: { readonly readOnly: boolean } = { readOnly: false },
): Promise<{ readonly server: PostgresServer; readonly connection: PostgresConnection }> {
	const { target } = settings;
	const postgres = await importPostgres();
	const server = { postgres, target, tls: await readTlsOptions("storage", target), setup: toSetup(settings, readOnly) };
	try {
		return { server, connection: await PostgresConnection.open(server) };
	} catch (error) {
		throw fromConnectError(error, target.label);
	}
}

/** What every connection begins with. */
function toSetup({ schema }: PostgresSettings, readOnly: boolean): string {
	const settings = [
		...(readOnly ? ["default_transaction_read_only = on"] : []),
		// Statements are prepared for the sake of round trips; a plan that fits all values alike would be slow for most.
		"plan_cache_mode = force_custom_plan",
		"default_transaction_isolation = 'read committed'",
		// A statement that is stuck, or a node that was stopped in the middle of a write, must not hold up the others for long.
		"statement_timeout = '30s'",
		"lock_timeout = '5s'",
		"idle_in_transaction_session_timeout = '10s'",
		"jit = off",
		...(schema === undefined ? [] : [`search_path = "${schema}"`]),
	];
	const durable = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;
	return [...settings.map((setting) => `set ${setting}`), durable].join("; ");
}

interface Parts {
	readonly knex: Knex;
	readonly pool: PostgresPool;
	readonly watch: ServerWatch;
	readonly open: () => Promise<PostgresConnection>;
}

class PostgresClient implements DatabaseClient {
	readonly dialect = postgresDialect;
	readonly knex: Knex;
	readonly #pool: PostgresPool;
	readonly #groups: WriteGroups;
	readonly #watch: ServerWatch;
	readonly #open: () => Promise<PostgresConnection>;

	constructor({ knex, pool, watch, open }: Parts) {
		this.knex = knex;
		this.#pool = pool;
		this.#groups = new WriteGroups(pool, (write) => this.#writeAlone(write));
		this.#watch = watch;
		this.#open = open;
	}

	async read(step: Step): Promise<Answer> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.#pool.use((connection) => connection.run(step));
			} catch (error) {
				// Nothing was changed, so that connections the server has ended while they were idle need not be the caller's trouble.
				if (!isClosedByServer(error) || attempt > this.#pool.size) throw toKnown(error);
			}
		}
	}

	write<T>(write: Write<T>): Promise<T> {
		return write.shareable ? this.#groups.write(write) : this.#writeAlone(write);
	}

	async #writeAlone<T>(write: Write<T>): Promise<T> {
		for (let attempt = 1; ; attempt++) {
			try {
				return await this.#pool.use((connection) => runRounds(connection, write));
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
			await this.useAlone((connection) => vacuum(connection, tableNames[kind]));
		} catch (error) {
			throw toKnown(error);
		}
		kinds.delete(kind);
		return kinds.size > 0;
	}

	async stop(): Promise<void> {
		await this.#groups.finish();
		await this.#pool.stop();
		await this.#watch.stop();
	}

	/** Lend a connection that is closed afterwards, for what may take longer than other statements. */
	async useAlone(work: (connection: PostgresConnection) => Promise<void>): Promise<void> {
		const connection = await this.#open();
		this.#watch.begin(connection, true);
		try {
			await work(connection);
		} finally {
			this.#watch.end(connection);
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
