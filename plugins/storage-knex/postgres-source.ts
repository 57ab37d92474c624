import { type PostgresTarget, readTlsOptions } from "../_postgres/options.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { Connections } from "./postgres-connections.ts";
import type { HostPool } from "./postgres-lent-line.ts";
import { borrow, borrowAlone, LentPool } from "./postgres-lent-pool.ts";
import type { PostgresSettings } from "./postgres-options.ts";
import { importPostgres, openConnection } from "./postgres-own-line.ts";
import { OwnPool } from "./postgres-own-pool.ts";
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

type Needs = Pick<PostgresSettings, "schema">;

/** Statements that a connection of our own begins with. */
export function toSessionSettings(needs: Needs, readOnly: boolean): string {
	const settings = [...(readOnly ? ["default_transaction_read_only = on"] : []), ...toSettings(needs)];
	return [...settings.map((setting) => `set ${setting}`), toDurable("false"), quickCompression].join("; ");
}

/** The same, but for how texts are compressed, for one transaction. */
function toLocalSettings(needs: Needs, readOnly: boolean): string {
	const settings = [...(readOnly ? ["transaction_read_only = on"] : []), ...toSettings(needs)];
	return [...settings.map((setting) => `set local ${setting}`), toDurable("true")].join("; ");
}

function toSettings({ schema }: Needs): readonly string[] {
	return [
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
}

/** Large texts are stored nearly twice as fast so, in as much room; older servers, and some builds, have it not. */
const quickCompression =
	"select set_config('default_toast_compression', 'lz4', false) from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)";

/** A server may be set not to wait for the disk. */
function toDurable(isLocal: "true" | "false"): string {
	return `select set_config('synchronous_commit', 'on', ${isLocal}) where current_setting('synchronous_commit') = 'off'`;
}
