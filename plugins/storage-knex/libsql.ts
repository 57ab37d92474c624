import type { Knex } from "knex";
import type { Logger } from "../../core/contract/index.ts";
import { importPackage } from "./import-package.ts";
import type { Binding } from "./values.ts";

export interface LibsqlStatement {
	/** Rows as arrays from here on. */
	raw(): LibsqlStatement;
	all(bindings: readonly Binding[]): Binding[][];
	get(bindings: readonly Binding[]): Binding[] | undefined;
	run(bindings: readonly Binding[]): { readonly changes: number };
}

/** A connection. What it does, it does before it returns, save for what is said to be done in another thread. */
export interface LibsqlDatabase {
	readonly inTransaction: boolean;
	prepare(sql: string): LibsqlStatement;
	exec(sql: string): void;
	/** In another thread. Until it settles, every other call would hold the event loop and wait for it. */
	execAsync(sql: string): Promise<void>;
	close(): void;
}

export type LibsqlConstructor = new (path: string, options: { readonly timeout: number }) => LibsqlDatabase;

/** The parts of knex that a client is made of; its types do not show them. */
interface ClientParts {
	acquireConnection(): Promise<LibsqlDatabase>;
	releaseConnection(connection: LibsqlDatabase): Promise<void>;
}
type ClientConstructor = new (config: Knex.Config) => ClientParts;
type TransactionConstructor = new (...parts: unknown[]) => { query(connection: unknown, sql: string): Promise<unknown> };

/** libsql has one class that waits and one that does not. Both work on the same native object, and each call here is best in one of them. */
export async function importLibsql(): Promise<LibsqlConstructor> {
	const Waiting = (await importPackage("libsql")) as new (
		...parts: ConstructorParameters<LibsqlConstructor>
	) => Omit<LibsqlDatabase, "execAsync">;
	const { prototype } = (await importPackage("libsql/promise")) as {
		readonly prototype: { exec(this: object, sql: string): Promise<void> };
	};
	return class Libsql extends Waiting {
		execAsync(sql: string): Promise<void> {
			return prototype.exec.call(this, sql);
		}
	};
}

export interface KnexOverLibsql {
	readonly knex: Knex;
	/** Takes the one connection out of knex, which runs nothing from here on. */
	takeConnection(): Promise<LibsqlDatabase>;
	/** Closes the connection. */
	stop(): Promise<void>;
}

/** A knex with one connection that `connect` opens. */
export async function createKnex(file: string, connect: () => LibsqlDatabase, logger: Logger): Promise<KnexOverLibsql> {
	const createKnexInstance = (await importPackage("knex")) as (config: Knex.Config) => Knex;
	const client = await createClient(connect);
	const warn = (message: unknown) => logger.warn("knex", { detail: String(message) });
	const knex = createKnexInstance({
		client: client as unknown as typeof Knex.Client,
		// `connect` opens it; knex only warns when it is not told.
		connection: { filename: file },
		useNullAsDefault: true,
		pool: { min: 1, max: 1 },
		log: { warn, error: warn, deprecate: warn, debug: () => {} },
	});
	const parts = knex.client as ClientParts;
	let taken: LibsqlDatabase | undefined;
	return {
		knex,
		async takeConnection() {
			taken = await parts.acquireConnection();
			return taken;
		},
		async stop() {
			if (taken) await parts.releaseConnection(taken);
			await knex.destroy();
		},
	};
}

/** knex speaks to libsql as to better-sqlite3, except that transactions take the write lock at once: upgrading a read lock can fail. */
async function createClient(connect: () => LibsqlDatabase): Promise<ClientConstructor> {
	const SqliteClient = (await importPackage("knex/lib/dialects/better-sqlite3/index.js")) as ClientConstructor;
	const SqliteTransaction = (await importPackage("knex/lib/dialects/sqlite3/execution/sqlite-transaction.js")) as TransactionConstructor;

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
