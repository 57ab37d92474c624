import type { PostgresConnection } from "./postgres-connection.ts";

/** Pool of connections. One caller at a time uses a connection. */
export interface ConnectionPool {
	/** Maximum number of connections. */
	readonly size: number;
	/** Calls `work` with a connection, which it may use until its promise settles. Rejects with the error if no connection is available. */
	use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T>;
	/** Resolves when no caller uses a connection or waits for one. `use` must not be called afterwards. */
	stop(): Promise<void>;
}
