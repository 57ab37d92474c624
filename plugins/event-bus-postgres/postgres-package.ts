import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { importPackage } from "../_packages/import-package.ts";
import { type PostgresTarget, readTlsOptions } from "../_postgres/options.ts";

/** The parts of the package `postgres` that are used here. */
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
	/** Most connections. */
	readonly max: number;
	readonly onnotify?: (channel: string, payload: string) => void;
	readonly onclose?: () => void;
}

/** Makes a client; it connects when it is first asked something. */
export type CreateClient = (options: ClientOptions) => Client;

type Postgres = (options: Record<string, unknown>) => Client;

/** Seconds. */
const connectTimeout = 5;

/** Throws `SVC_CONFIG` when the package or a file for TLS is missing. */
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
			// Connections are made anew by whoever sees that they are gone; none ends by itself.
			idle_timeout: null,
			max_lifetime: null,
			keep_alive: 10,
			fetch_types: false,
			onnotice: () => {},
			connection: { application_name: `${applicationName} event bus` },
			...options,
		});
}

/** An address is no name that a server could be asked for, yet the certificate may hold it. */
function withName({ servername = "", ...tls }: ConnectionOptions): ConnectionOptions {
	return isIP(servername) ? { ...tls, host: servername } : { ...tls, servername };
}
