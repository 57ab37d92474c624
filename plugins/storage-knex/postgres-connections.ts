import type { PostgresConnection } from "./postgres-connection.ts";

/** Connections, each lent to one caller at a time. */
export interface Connections {
	/** Connections at most. */
	readonly size: number;
	/** Lend a connection for as long as `work` takes. Rejects with the error of getting one. */
	use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T>;
	/** Resolves when everybody has given back and nobody waits. Nothing may be asked for afterwards. */
	stop(): Promise<void>;
}
