import { toOptions, wrongOption } from "../_event-bus/plugin-options.ts";
import { type PostgresOptions, type PostgresTarget, parsePostgresOptions } from "../_postgres/options.ts";

/** Address and TLS are as in the storage on PostgreSQL. */
export interface PostgresBusOptions extends PostgresOptions {
	/** Schema of the table for large events; made where it is missing. Default: `schema` of the url, else the first of the search path. */
	readonly schema?: string;
	/** Channel of LISTEN and NOTIFY. Services that share a database and are not nodes of one service need one each. Default `svc`. */
	readonly channel?: string;
}

export interface PostgresBusSettings {
	readonly target: PostgresTarget;
	readonly schema: string | undefined;
	readonly channel: string;
}

/** Throws `SVC_CONFIG` naming the option; never with the url, which may hold a password. */
export function parseOptions(options: unknown): PostgresBusSettings {
	const { url, schema, channel = "svc", ssl } = toOptions(options, ["url", "schema", "channel", "ssl"]);
	const target = parsePostgresOptions("event_bus", { url, ...(ssl !== undefined && { ssl }) } as PostgresOptions);
	if (schema !== undefined && !isIdentifier(schema)) throw wrongOption("schema", "1 to 63 bytes, without NUL");
	if (!isIdentifier(channel)) throw wrongOption("channel", "1 to 63 bytes, without NUL");
	return { target, schema: schema ?? target.schema, channel };
}

/** What the server would cut or refuse would be another name. */
function isIdentifier(value: unknown): value is string {
	return typeof value === "string" && value !== "" && Buffer.byteLength(value) <= 63 && !value.includes("\0");
}
