import { SvcError } from "../../core/contract/index.ts";
import { type PostgresOptions, type PostgresTarget, parsePostgresOptions } from "../_postgres/options.ts";
import type { HostPool } from "./postgres-host-connection.ts";

export type PostgresStorageOptions = PostgresUrlOptions | PostgresPoolOptions;

export interface PostgresUrlOptions extends PostgresOptions, PostgresCommonOptions {
	readonly pool?: never;
}

export interface PostgresPoolOptions extends PostgresCommonOptions {
	/**
	 * Connection pool of the program that embeds the service, instead of a `url`: a `Pool` of the package pg 8. A connection is borrowed
	 * for each transaction and returned with its settings unchanged. The pool is never closed.
	 */
	readonly pool: HostPool;
	readonly url?: never;
	readonly ssl?: never;
}

/** Options that are the same with a `url` and with a `pool`. */
interface PostgresCommonOptions {
	readonly client: "postgres";
	/** Schema of the tables; created if it does not exist. Default: the schema of the url, otherwise the user's schema for new tables. */
	readonly schema?: string;
	/**
	 * Maximum number of connections, 1 to 100. One more is opened occasionally for a short time. Default 10; with a `pool`, half of its
	 * maximum.
	 */
	readonly pool_size?: number;
}

/** Validated options, with defaults. */
export interface PostgresSettings {
	readonly server: { readonly target: PostgresTarget } | { readonly pool: HostPool };
	/** `host:port/database`, for messages. */
	readonly label: string;
	readonly user: string;
	readonly schema: string | undefined;
	readonly poolSize: number;
}

/** Settings of the server or the pool, with the default for `pool_size`. */
type ServerSettings = Pick<PostgresSettings, "server" | "label" | "user" | "schema"> & { readonly defaultSize: number };

const optionNames = ["client", "url", "pool", "schema", "pool_size", "ssl"];

/**
 * Validates the options. Throws `SVC_CONFIG` for invalid ones: plain JavaScript may pass any value, and a wrong one must not silently mean
 * the default.
 */
export function parsePostgresStorageOptions(options: PostgresStorageOptions): PostgresSettings {
	const unknown = Object.keys(options).find((name) => !optionNames.includes(name));
	if (unknown !== undefined)
		throw new SvcError("SVC_CONFIG", `storage.${unknown} is unknown with client "postgres"; allowed are ${optionNames.join(", ")}`);
	const { defaultSize, ...settings } = options.pool === undefined ? parseUrl(options) : parsePool(options);
	const { schema = settings.schema, pool_size: poolSize = defaultSize }: { readonly schema?: unknown; readonly pool_size?: unknown } =
		options;
	if (schema !== undefined && (typeof schema !== "string" || !/^[^"\0]{1,63}$/.test(schema) || /^pg_/i.test(schema)))
		throw new SvcError("SVC_CONFIG", "storage.schema must be the name of a schema, without quotes and not beginning with pg_");
	if (typeof poolSize !== "number" || !Number.isInteger(poolSize) || poolSize < 1 || poolSize > 100)
		throw new SvcError("SVC_CONFIG", "storage.pool_size must be a whole number from 1 to 100");
	return { ...settings, schema, poolSize };
}

function parseUrl(options: PostgresUrlOptions): ServerSettings {
	const target = parsePostgresOptions("storage", options);
	return { server: { target }, label: target.label, user: target.user, schema: target.schema, defaultSize: 10 };
}

function parsePool(options: PostgresPoolOptions): ServerSettings {
	const { pool }: { readonly pool: unknown } = options;
	const excludedOption = (["url", "ssl"] as const).find((name) => options[name] !== undefined);
	if (excludedOption !== undefined)
		throw new SvcError("SVC_CONFIG", `storage.${excludedOption} and storage.pool cannot be combined: the pool has its own address`);
	if (!isPool(pool)) throw new SvcError("SVC_CONFIG", "storage.pool must be a Pool of the package pg 8");
	const { max } = pool.options;
	const defaultSize = Math.max(1, Math.min(100, Math.floor(max / 2)));
	return { server: { pool }, ...describePool(pool), schema: undefined, defaultSize };
}

/** Returns user and address of the host's pool for messages, as far as its options contain them. */
function describePool({ options }: HostPool): Pick<PostgresSettings, "label" | "user"> {
	const { connectionString = "" } = options;
	const url = URL.canParse(connectionString) ? new URL(connectionString) : undefined;
	const host = options.host ?? url?.hostname;
	const user = options.user ?? url?.username ?? "";
	const database = options.database ?? url?.pathname.slice(1);
	return { user, label: host ? `${host}:${options.port ?? (url?.port || 5432)}/${database || user}` : "(pool of the host)" };
}

function isPool(value: unknown): value is HostPool {
	const { connect, options }: Partial<HostPool> = typeof value === "object" && value !== null ? value : {};
	return typeof connect === "function" && typeof options?.max === "number";
}
