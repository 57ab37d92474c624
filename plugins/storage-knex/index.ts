import { defineStorage, type Storage, type StoragePlugin, SvcError } from "../../core/contract/index.ts";
import { KnexStorage } from "./knex-storage.ts";
import { createPostgresDatabase } from "./postgres-client.ts";
import type { HostPool } from "./postgres-host-connection.ts";
import type { PostgresPoolOptions, PostgresStorageOptions, PostgresUrlOptions } from "./postgres-options.ts";
import { createSqliteDatabase, type SqliteOptions } from "./sqlite-client.ts";

export type { PostgresTlsOptions } from "../_postgres/options.ts";
export type { HostPool, PostgresPoolOptions, PostgresStorageOptions, PostgresUrlOptions, SqliteOptions };

export type KnexStorageOptions = SqliteOptions | PostgresStorageOptions;

const defineKnexStorage = defineStorage<KnexStorageOptions>("knex", createStorage);

/**
 * Storage of all records in a SQL database. With `client: "sqlite"`, it is a file on the machine of the service. With `client: "postgres"`,
 * it is on a PostgreSQL server, which several nodes may share.
 */
export function knexStorage(options: KnexStorageOptions): StoragePlugin {
	return { ...defineKnexStorage(options), at: (address) => knexStorage(toOptions(address)) };
}

function createStorage(options: KnexStorageOptions): Storage {
	return new KnexStorage(options.client === "postgres" ? createPostgresDatabase(options) : createSqliteDatabase(options));
}

/** Parses an address: `postgres://…`, `sqlite:` followed by a path, or a path alone. Throws `SVC_CONFIG` for any other. */
function toOptions(address: string): KnexStorageOptions {
	const [, scheme] = /^([a-z][a-z0-9+.-]+):/i.exec(address) ?? [];
	if (scheme === "postgres" || scheme === "postgresql") return { client: "postgres", url: address };
	const file = scheme === "sqlite" ? address.slice("sqlite:".length).replace(/^\/\//, "") : address;
	if (file !== "" && (scheme === undefined || scheme === "sqlite")) return { client: "sqlite", file };
	throw new SvcError("SVC_CONFIG", "the address of a storage is postgres://…, sqlite:<file> or the path of a file");
}
