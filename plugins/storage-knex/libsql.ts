import type { Knex } from "knex";
import type { Logger } from "../../core/contract/index.ts";
import { importPackage } from "./import-package.ts";
import type { Binding } from "./values.ts";

export interface LibsqlStatement {
	/** Makes later calls of `all` and `get` return rows as arrays. */
	raw(): LibsqlStatement;
	all(bindings: readonly Binding[]): Binding[][];
	get(bindings: readonly Binding[]): Binding[] | undefined;
	run(bindings: readonly Binding[]): { readonly changes: number };
}

/** Connection to a database file. All methods except `execAsync` are synchronous. */
export interface LibsqlDatabase {
	readonly inTransaction: boolean;
	prepare(sql: string): LibsqlStatement;
	exec(sql: string): void;
	/** Runs statements in another thread. Until the promise settles, any other call would block the event loop. */
	execAsync(sql: string): Promise<void>;
	close(): void;
}

export type LibsqlConstructor = new (path: string, options: { readonly timeout: number }) => LibsqlDatabase;

/** Members of knex's client class that are used here but missing in its types. */
interface KnexClientInternals {
	acquireConnection(): Promise<LibsqlDatabase>;
	releaseConnection(connection: LibsqlDatabase): Promise<void>;
}
type KnexClientConstructor = new (config: Knex.Config) => KnexClientInternals;
type KnexTransactionConstructor = new (...parts: unknown[]) => { query(connection: unknown, sql: string): Promise<unknown> };

/**
 * Loads libsql. It has a synchronous and an asynchronous class, which share the same native object. The class returned here is the
 * synchronous one, with `execAsync` from the asynchronous one.
 */
export async function importLibsql(): Promise<LibsqlConstructor> {
	const SynchronousDatabase = (await importPackage("libsql")) as new (
		...parts: ConstructorParameters<LibsqlConstructor>
	) => Omit<LibsqlDatabase, "execAsync">;
	const { prototype } = (await importPackage("libsql/promise")) as {
		readonly prototype: { exec(this: object, sql: string): Promise<void> };
	};
	return class Libsql extends SynchronousDatabase {
		execAsync(sql: string): Promise<void> {
			return prototype.exec.call(this, sql);
		}
	};
}

export interface KnexOverLibsql {
	readonly knex: Knex;
	/** Takes the only connection out of the pool of knex. Afterwards knex can only build statements. */
	takeConnection(): Promise<LibsqlDatabase>;
	/** Closes the connection. */
	stop(): Promise<void>;
}

/** Creates a knex instance with one connection, which `connect` opens. */
export async function createKnex(file: string, connect: () => LibsqlDatabase, logger: Logger): Promise<KnexOverLibsql> {
	const createKnexInstance = (await importPackage("knex")) as (config: Knex.Config) => Knex;
	const client = await createClient(connect);
	const warn = (message: unknown) => logger.warn("knex", { detail: String(message) });
	const knex = createKnexInstance({
		client: client as unknown as typeof Knex.Client,
		// Not used, because `connect` opens the file; without a file name knex logs a warning.
		connection: { filename: file },
		useNullAsDefault: true,
		pool: { min: 1, max: 1 },
		log: { warn, error: warn, deprecate: warn, debug: () => {} },
	});
	const knexClient = knex.client as KnexClientInternals;
	let connection: LibsqlDatabase | undefined;
	return {
		knex,
		async takeConnection() {
			connection = await knexClient.acquireConnection();
			return connection;
		},
		async stop() {
			if (connection) await knexClient.releaseConnection(connection);
			await knex.destroy();
		},
	};
}

/**
 * Creates the client class for knex. It is based on the one for better-sqlite3, but its transactions take the write lock when they begin,
 * because upgrading a read lock can fail.
 */
async function createClient(connect: () => LibsqlDatabase): Promise<KnexClientConstructor> {
	const SqliteClient = (await importPackage("knex/lib/dialects/better-sqlite3/index.js")) as KnexClientConstructor;
	const SqliteTransaction = (await importPackage(
		"knex/lib/dialects/sqlite3/execution/sqlite-transaction.js",
	)) as KnexTransactionConstructor;

	class ImmediateTransaction extends SqliteTransaction {
		begin(connection: unknown): Promise<unknown> {
			return this.query(connection, "BEGIN IMMEDIATE;");
		}
	}
	class LibsqlClient extends SqliteClient {
		_driver(): object {
			return {};
		}
		async acquireRawConnection(): Promise<LibsqlDatabase> {
			return connect();
		}
		transaction(...parts: unknown[]): ImmediateTransaction {
			return new ImmediateTransaction(this, ...parts);
		}
	}
	Object.assign(LibsqlClient.prototype, { driverName: "libsql", dialect: "sqlite3" });
	return LibsqlClient;
}
