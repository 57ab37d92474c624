import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { importPackage } from "../_packages/import-package.ts";
import { type PostgresTarget, readTlsOptions } from "../_postgres/options.ts";

/** Members of the package `postgres` that are used here. */
export interface Client {
	unsafe(
		text: string,
		parameters?: readonly string[],
		options?: { readonly prepare: boolean },
	): Promise<readonly Record<string, unknown>[]>;
	begin(run: (client: Client) => Promise<void>): Promise<void>;
	end(options: { readonly timeout: number }): Promise<void>;
}

export interface ClientOptions {
	/** Maximum number of connections. */
	readonly max: number;
	readonly onnotify?: (channel: string, payload: string) => void;
	readonly onclose?: () => void;
}

/** Creates a client, which connects at its first statement. */
export type CreateClient = (options: ClientOptions) => Client;

type Postgres = (options: Record<string, unknown>) => Client;

/** Maximum seconds for connecting. */
const connectTimeout = 5;

/** Returns the function that creates clients. Throws `SVC_CONFIG` if the package or a TLS file is missing. */
export async function createClients(target: PostgresTarget): Promise<CreateClient> {
	const postgres = (await importPackage("postgres", "event bus postgres")) as Postgres;
	const { host, port, user, password, database, applicationName } = target;
	const tls = await readTlsOptions("event_bus", target);
	const ssl = tls === undefined ? false : withName(tls);
	return (options) =>
		postgres({
			...(host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }),
			user,
			password,
			database,
			ssl,
			connect_timeout: connectTimeout,
			// The driver must not close connections on its own: the bus would count them as lost.
			idle_timeout: null,
			max_lifetime: null,
			keep_alive: 10,
			fetch_types: false,
			onnotice: () => {},
			connection: { application_name: `${applicationName} event bus` },
			...options,
		});
}

/**
 * Returns TLS options with the expected server name. `servername` must not be an IP address; the certificate is then compared with `host`.
 */
function withName({ servername = "", ...tls }: ConnectionOptions): ConnectionOptions {
	return isIP(servername) ? { ...tls, host: servername } : { ...tls, servername };
}
