import { toOptions, wrongOption } from "../_event-bus/plugin-options.ts";
import { type PostgresOptions, type PostgresTarget, parsePostgresOptions } from "../_postgres/options.ts";

/** Options of the PostgreSQL event bus; address and TLS as in the PostgreSQL storage. */
export interface PostgresBusOptions extends PostgresOptions {
	/**
	 * Schema of the table for large events; created if it is missing. Default: `schema` of the URL, otherwise the first schema of the
	 * search path.
	 */
	readonly schema?: string;
	/** Channel of LISTEN and NOTIFY. Separate services on one database need different channels. Default `svc`. */
	readonly channel?: string;
}

export interface PostgresBusSettings {
	readonly target: PostgresTarget;
	readonly schema: string | undefined;
	readonly channel: string;
}

/** Parses the options. Throws `SVC_CONFIG` with the name of the invalid option, but never with the URL, which may contain a password. */
export function parseOptions(options: unknown): PostgresBusSettings {
	const { url, schema, channel = "svc", ssl } = toOptions(options, ["url", "schema", "channel", "ssl"]);
	const target = parsePostgresOptions("event_bus", { url, ...(ssl !== undefined && { ssl }) } as PostgresOptions);
	if (schema !== undefined && !isIdentifier(schema)) throw wrongOption("schema", "1 to 63 bytes, without NUL");
	if (!isIdentifier(channel)) throw wrongOption("channel", "1 to 63 bytes, without NUL");
	return { target, schema: schema ?? target.schema, channel };
}

/** Returns true if the server accepts the name unchanged. It truncates names of more than 63 bytes and refuses NUL. */
function isIdentifier(value: unknown): value is string {
	return typeof value === "string" && value !== "" && Buffer.byteLength(value) <= 63 && !value.includes("\0");
}
