import { readFile } from "node:fs/promises";
import type { ConnectionOptions } from "node:tls";
import { SvcError, toErrorMessage } from "../../core/contract/index.ts";

/** Connection options of a PostgreSQL server. */
export interface PostgresOptions {
	/** `postgres://user:password@host:port/database`. */
	readonly url: string;
	/** TLS; true verifies the server's certificate. Default: according to `sslmode` in the URL, or false without it. */
	readonly ssl?: boolean | PostgresTlsOptions;
}

export interface PostgresTlsOptions {
	/** File with the certificates (PEM) of the authorities that verify the server's certificate. Default: those of Node.js. */
	readonly cacert?: string;
	/** Paths of a client certificate and its key (PEM). */
	readonly cert?: string;
	readonly key?: string;
	/** True if the server's certificate is verified. Default true. */
	readonly verify?: boolean;
	/** Name that the certificate must contain. Default: the host. */
	readonly server_name?: string;
}

/** A parsed server address. */
export interface PostgresTarget {
	readonly host: string;
	readonly port: number;
	readonly user: string;
	readonly password: string;
	readonly database: string;
	readonly applicationName: string;
	/** `host:port/database`, for messages. */
	readonly label: string;
	readonly ssl: boolean | PostgresTlsOptions;
	/** Value of `schema` in the URL. */
	readonly schema: string | undefined;
}

const urlParameters = ["application_name", "host", "schema", "sslmode", "sslrootcert"] as const;
const sslModes = ["disable", "require", "verify-ca", "verify-full"] as const;

/**
 * Parses the options. Throws `SVC_CONFIG` with the name of the invalid option, but never with the URL, which contains a password.
 *
 * @param path location of the options in the configuration, such as `storage`
 */
export function parsePostgresOptions(path: string, options: PostgresOptions): PostgresTarget {
	const { url: text, ssl } = options as { readonly url?: unknown; readonly ssl?: unknown };
	const url = toUrl(`${path}.url`, text);
	const parameters = toParameters(`${path}.url`, url);
	const host = parameters.host ?? decode(url.hostname.replace(/^\[(.*)\]$/, "$1"));
	if (host === "") throw new SvcError("SVC_CONFIG", `${path}.url must contain a host`);
	const user = decode(url.username);
	if (user === "") throw new SvcError("SVC_CONFIG", `${path}.url must contain a user: postgres://user:password@host:port/database`);
	const port = url.port === "" ? 5432 : Number(url.port);
	const database = decode(url.pathname.slice(1)) || user;
	return {
		host,
		port,
		user,
		password: decode(url.password) || (process.env["PGPASSWORD"] ?? ""),
		database,
		applicationName: parameters.application_name ?? "svc",
		label: `${host}:${port}/${database}`,
		ssl: ssl === undefined ? toSsl(parameters) : checkSsl(`${path}.ssl`, ssl),
		schema: parameters.schema,
	};
}

/**
 * Returns the TLS options for Node.js, with the contents of the files, or undefined without TLS. Throws `SVC_CONFIG` with the path of a
 * file that cannot be read.
 */
export async function readTlsOptions(path: string, { ssl, host }: PostgresTarget): Promise<ConnectionOptions | undefined> {
	if (ssl === false) return undefined;
	const { cacert, cert, key, verify = true, server_name = host }: PostgresTlsOptions = ssl === true ? {} : ssl;
	const read = async (name: string, file: string | undefined) =>
		file === undefined
			? {}
			: {
					[name === "cacert" ? "ca" : name]: await readFile(file).catch((error: unknown) => {
						throw new SvcError("SVC_CONFIG", `${path}.ssl.${name} "${file}" cannot be read: ${toErrorMessage(error)}`, { cause: error });
					}),
				};
	const files = { ...(await read("cacert", cacert)), ...(await read("cert", cert)), ...(await read("key", key)) };
	return { ...files, rejectUnauthorized: verify, servername: server_name };
}

function toUrl(name: string, text: unknown): URL {
	if (typeof text !== "string" || text === "")
		throw new SvcError("SVC_CONFIG", `${name} is required: postgres://user:password@host:port/database`);
	let url: URL;
	try {
		url = new URL(text);
	} catch {
		throw new SvcError("SVC_CONFIG", `${name} is not a valid URL; special characters in user and password must be percent-encoded`);
	}
	if (url.protocol === "postgres:" || url.protocol === "postgresql:") return url;
	throw new SvcError("SVC_CONFIG", `${name} must begin with postgres:// or postgresql://`);
}

type UrlParameters = { readonly [P in (typeof urlParameters)[number]]?: string };

function toParameters(name: string, url: URL): UrlParameters {
	for (const parameter of url.searchParams.keys()) {
		if ((urlParameters as readonly string[]).includes(parameter)) continue;
		throw new SvcError("SVC_CONFIG", `${name} has the parameter "${parameter}"; allowed are ${urlParameters.join(", ")}`);
	}
	const parameters: UrlParameters = Object.fromEntries(url.searchParams);
	const { sslmode } = parameters;
	if (sslmode === undefined || (sslModes as readonly string[]).includes(sslmode)) return parameters;
	throw new SvcError("SVC_CONFIG", `${name} has sslmode "${sslmode}"; allowed are ${sslModes.join(", ")}`);
}

/** Interprets `sslmode` as other PostgreSQL clients do: `require` encrypts without verifying, unless a root certificate is given. */
function toSsl({ sslmode = "disable", sslrootcert }: UrlParameters): boolean | PostgresTlsOptions {
	if (sslmode === "disable") return false;
	const cacert = sslrootcert === undefined || sslrootcert === "system" ? {} : { cacert: sslrootcert };
	return { ...cacert, verify: sslmode !== "require" || sslrootcert !== undefined };
}

const tlsOptions = { cacert: "string", cert: "string", key: "string", verify: "boolean", server_name: "string" } as const;

function checkSsl(name: string, ssl: unknown): boolean | PostgresTlsOptions {
	if (typeof ssl === "boolean") return ssl;
	if (typeof ssl !== "object" || ssl === null) throw new SvcError("SVC_CONFIG", `${name} must be true, false or an object`);
	for (const [option, value] of Object.entries(ssl)) {
		const type = (tlsOptions as Readonly<Record<string, string>>)[option];
		if (type === undefined)
			throw new SvcError("SVC_CONFIG", `${name}.${option} is unknown; allowed are ${Object.keys(tlsOptions).join(", ")}`);
		if (value !== undefined && typeof value !== type) throw new SvcError("SVC_CONFIG", `${name}.${option} must be a ${type}`);
	}
	return ssl;
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
