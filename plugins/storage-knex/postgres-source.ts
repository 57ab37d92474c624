import { type PostgresTarget, readTlsOptions } from "../_postgres/options.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { Connections } from "./postgres-connections.ts";
import type { HostPool } from "./postgres-lent-line.ts";
import { borrow, borrowAlone, LentPool } from "./postgres-lent-pool.ts";
import type { PostgresSettings } from "./postgres-options.ts";
import { importPostgres, openConnection } from "./postgres-own-line.ts";
import { OwnPool } from "./postgres-own-pool.ts";
import { toLocalSettings, toSessionSettings } from "./postgres-session.ts";
import { ServerWatch } from "./server-watch.ts";

/** Where connections come from. */
export interface PostgresSource {
	readonly connections: Connections;
	readonly watch: ServerWatch;
	/** A connection for what takes long, or must be outside of a transaction. The caller ends it. */
	openAlone(): Promise<PostgresConnection>;
	/** Take over a connection that `openAlone` has given, and whose settings are as they were. */
	adopt(connection: PostgresConnection): Promise<void>;
}

/** @param readOnly whether nothing may be written through its connections */
export async function createSource(settings: PostgresSettings, readOnly: boolean): Promise<PostgresSource> {
	const { server } = settings;
	return "pool" in server ? createLentSource(server.pool, settings, readOnly) : createOwnSource(server.target, settings, readOnly);
}

async function createOwnSource(target: PostgresTarget, settings: PostgresSettings, readOnly: boolean): Promise<PostgresSource> {
	const [postgres, tls] = [await importPostgres(), await readTlsOptions("storage", target)];
	const open = () => openConnection({ postgres, target, tls, setup: toSessionSettings(settings, readOnly) });
	const watch = new ServerWatch(open);
	const connections = new OwnPool(open, { size: settings.poolSize, watch });
	return { connections, watch, openAlone: open, adopt: async (connection) => connections.add(connection) };
}

function createLentSource(pool: HostPool, settings: PostgresSettings, readOnly: boolean): PostgresSource {
	const open = () => borrow(pool, toLocalSettings(settings, readOnly));
	// Whether a server is there that answers slowly is asked over one more connection, and the pool may have none.
	const watch = new ServerWatch();
	const connections = new LentPool(open, { size: settings.poolSize, watch });
	return {
		connections,
		watch,
		openAlone: () => borrowAlone(pool, toSessionSettings(settings, readOnly)),
		adopt: (connection) => connection.end(),
	};
}
