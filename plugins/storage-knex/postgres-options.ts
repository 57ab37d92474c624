import { SvcError } from "../../core/contract/index.ts";
import { type PostgresOptions, type PostgresTarget, parsePostgresOptions } from "../_postgres/options.ts";

export interface PostgresStorageOptions extends PostgresOptions {
	readonly client: "postgres";
	/** Schema that the tables are in; made when it is not there. Default: what the url says, else the one new tables of the user go to. */
	readonly schema?: string;
	/** Connections at most, 1 to 100, besides one that is opened for a moment now and then. Default 10. */
	readonly pool_size?: number;
}

export interface PostgresSettings {
	readonly target: PostgresTarget;
	readonly schema: string | undefined;
	readonly poolSize: number;
}

const names = ["client", "url", "schema", "pool_size", "ssl"];

/** Plain JavaScript may say anything, and a wrong word must not quietly mean a default. */
export function parsePostgresStorageOptions(options: PostgresStorageOptions): PostgresSettings {
	const unknown = Object.keys(options).find((name) => !names.includes(name));
	if (unknown !== undefined)
		throw new SvcError("SVC_CONFIG", `storage.${unknown} is unknown with client "postgres"; allowed are ${names.join(", ")}`);
	const target = parsePostgresOptions("storage", options);
	const { schema = target.schema, pool_size: poolSize = 10 }: { readonly schema?: unknown; readonly pool_size?: unknown } = options;
	if (schema !== undefined && (typeof schema !== "string" || !/^[^"\0]{1,63}$/.test(schema) || /^pg_/i.test(schema)))
		throw new SvcError("SVC_CONFIG", "storage.schema must be the name of a schema, without quotes and not beginning with pg_");
	if (typeof poolSize !== "number" || !Number.isInteger(poolSize) || poolSize < 1 || poolSize > 100)
		throw new SvcError("SVC_CONFIG", "storage.pool_size must be a whole number from 1 to 100");
	return { target, schema, poolSize };
}
