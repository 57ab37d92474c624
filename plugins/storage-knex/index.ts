import { defineStorage } from "../../core/contract/index.ts";
import { KnexStorage } from "./knex-storage.ts";
import { openSqlite, type SqliteOptions } from "./sqlite-client.ts";

export type KnexStorageOptions = SqliteOptions;

/** Keeps everything in a SQL database. `client: "sqlite"` is a file beside the service and needs no server. */
export const knexStorage = defineStorage<KnexStorageOptions>(
	"knex",
	(options) => new KnexStorage((context) => openSqlite(options, context)),
);
