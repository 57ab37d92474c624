import { type PostgresTarget, readTlsOptions } from "../_postgres/options.ts";
import { importPostgres, openConnection } from "./open-postgres-connection.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { HostPool } from "./postgres-host-connection.ts";
import { borrow, borrowDedicated, HostConnectionPool } from "./postgres-host-pool.ts";
import { ManagedPool } from "./postgres-managed-pool.ts";
import type { PostgresSettings } from "./postgres-options.ts";
import type { ConnectionPool } from "./postgres-pool.ts";
import { ServerWatch } from "./server-watch.ts";

/** Source of connections: the service's own pool, or the pool of the host. */
export interface PostgresConnectionSource {
	readonly connections: ConnectionPool;
	readonly watch: ServerWatch;
	/** Opens a dedicated connection for statements that take long or must run outside of transactions. The caller must end it. */
	openDedicated(): Promise<PostgresConnection>;
	/**
	 * Takes over a dedicated connection whose settings are unchanged: adds it to the service's own pool, or ends it if it belongs to the host.
	 */
	adopt(connection: PostgresConnection): Promise<void>;
}

/** @param readOnly true if the connections must not write */
export async function createConnectionSource(settings: PostgresSettings, readOnly: boolean): Promise<PostgresConnectionSource> {
	const { server } = settings;
	return "pool" in server ? createHostSource(server.pool, settings, readOnly) : createManagedSource(server.target, settings, readOnly);
}

async function createManagedSource(
	target: PostgresTarget,
	settings: PostgresSettings,
	readOnly: boolean,
): Promise<PostgresConnectionSource> {
	const [postgres, tls] = [await importPostgres(), await readTlsOptions("storage", target)];
	const open = () => openConnection({ postgres, target, tls, setup: toSessionSettings(settings, readOnly) });
	const watch = new ServerWatch(open);
	const connections = new ManagedPool(open, { size: settings.poolSize, watch });
	return { connections, watch, openDedicated: open, adopt: async (connection) => connections.add(connection) };
}

function createHostSource(pool: HostPool, settings: PostgresSettings, readOnly: boolean): PostgresConnectionSource {
	const open = () => borrow(pool, toLocalSettings(settings, readOnly));
	// Create the watch without a probe, because a probe would need one more connection, which the host's pool may not have.
	const watch = new ServerWatch();
	const connections = new HostConnectionPool(open, { size: settings.poolSize, watch });
	return {
		connections,
		watch,
		openDedicated: () => borrowDedicated(pool, toSessionSettings(settings, readOnly)),
		adopt: (connection) => connection.end(),
	};
}

type SessionOptions = Pick<PostgresSettings, "schema">;

/** Returns the statements that run first on a connection of the service. */
export function toSessionSettings(options: SessionOptions, readOnly: boolean): string {
	const settings = [...(readOnly ? ["default_transaction_read_only = on"] : []), ...toSettings(options)];
	return [...settings.map((setting) => `set ${setting}`), toDurable("false"), fastCompression].join("; ");
}

/** Returns statements with the settings of one transaction: those of a session except the compression. */
function toLocalSettings(options: SessionOptions, readOnly: boolean): string {
	const settings = [...(readOnly ? ["transaction_read_only = on"] : []), ...toSettings(options)];
	return [...settings.map((setting) => `set local ${setting}`), toDurable("true")].join("; ");
}

function toSettings({ schema }: SessionOptions): readonly string[] {
	return [
		// Statements are prepared only to save round trips. A generic plan, which is the same for all values, would be slow for most of them.
		"plan_cache_mode = force_custom_plan",
		"default_transaction_isolation = 'read committed'",
		// A statement that hangs, or a node that stopped during a write, must not block other nodes for long.
		"statement_timeout = '30s'",
		"lock_timeout = '5s'",
		"idle_in_transaction_session_timeout = '10s'",
		"jit = off",
		...(schema === undefined ? [] : [`search_path = "${schema}"`]),
	];
}

/** Selects lz4 for large values if the server supports it: storing them is nearly twice as fast and takes the same space. */
const fastCompression =
	"select set_config('default_toast_compression', 'lz4', false) from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)";

/**
 * Returns a statement that makes commits wait for the disk, if the server is configured not to wait. Otherwise acknowledged writes could be
 * lost.
 */
function toDurable(isLocal: "true" | "false"): string {
	return `select set_config('synchronous_commit', 'on', ${isLocal}) where current_setting('synchronous_commit') = 'off'`;
}
