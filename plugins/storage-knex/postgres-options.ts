import { SvcError } from "../../core/contract/index.ts";
import { type PostgresOptions, type PostgresTarget, parsePostgresOptions } from "../_postgres/options.ts";
import type { HostPool } from "./postgres-lent-line.ts";

export type PostgresStorageOptions = PostgresUrlOptions | PostgresPoolOptions;

export interface PostgresUrlOptions extends PostgresOptions, PostgresPlace {
	readonly pool?: never;
}

export interface PostgresPoolOptions extends PostgresPlace {
	/**
	 * Instead of a `url`, the connections of a program that the service is part of: a `Pool` of the package pg 8. One is borrowed for
	 * each transaction and goes back as it was; the pool is never closed.
	 */
	readonly pool: HostPool;
	readonly url?: never;
	readonly ssl?: never;
}

interface PostgresPlace {
	readonly client: "postgres";
	/** Schema that the tables are in; made when it is not there. Default: what the url says, else the one new tables of the user go to. */
	readonly schema?: string;
	/**
	 * Connections at most, 1 to 100, besides one that is opened for a moment now and then. Default 10; of a `pool` half of what it has.
	 */
	readonly pool_size?: number;
}

export interface PostgresSettings {
	readonly server: { readonly target: PostgresTarget } | { readonly pool: HostPool };
	/** `host:port/database`, for messages. */
	readonly label: string;
	readonly user: string;
	readonly schema: string | undefined;
	readonly poolSize: number;
}

type ServerSettings = Pick<PostgresSettings, "server" | "label" | "user" | "schema"> & { readonly defaultSize: number };

const names = ["client", "url", "pool", "schema", "pool_size", "ssl"];

/** Plain JavaScript may say anything, and a wrong word must not quietly mean a default. */
export function parsePostgresStorageOptions(options: PostgresStorageOptions): PostgresSettings {
	const unknown = Object.keys(options).find((name) => !names.includes(name));
	if (unknown !== undefined)
		throw new SvcError("SVC_CONFIG", `storage.${unknown} is unknown with client "postgres"; allowed are ${names.join(", ")}`);
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
	const instead = (["url", "ssl"] as const).find((name) => options[name] !== undefined);
	if (instead !== undefined)
		throw new SvcError("SVC_CONFIG", `storage.${instead} and storage.pool exclude each other: the pool says where it leads`);
	if (!isPool(pool)) throw new SvcError("SVC_CONFIG", "storage.pool must be a Pool of the package pg 8");
	const { max } = pool.options;
	const defaultSize = Math.max(1, Math.min(100, Math.floor(max / 2)));
	return { server: { pool }, ...describePool(pool), schema: undefined, defaultSize };
}

/** For messages: where the pool leads, as far as it says so. */
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
