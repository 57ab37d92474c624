import { SvcError } from "../../core/contract/index.ts";
import { parseTls, type TlsOption, toOptions, wrongOption } from "../_event-bus/plugin-options.ts";

export interface NatsBusOptions {
	/** Address of a server, or of all servers of a cluster: `nats://host:4222`, `tls://host:4222` or `host:4222`. */
	readonly servers: string | readonly string[];
	readonly token?: string;
	readonly user?: string;
	readonly password?: string;
	/** Seed of an nkey, `SU…`. */
	readonly nkey?: string;
	/** File with a JWT and the seed of its key, as `nsc` writes it; read at each connection. */
	readonly creds?: string;
	/** TLS options. Default: TLS for `tls://`, and if the server requires it. `false` refuses such servers. */
	readonly tls?: TlsOption;
	/** Prefix of each subject. Separate services on one server need different prefixes. Default `svc.bus`. */
	readonly subject_prefix?: string;
}

export interface ServerAddress {
	readonly host: string;
	readonly port: number;
}

export interface NatsBusSettings {
	readonly servers: readonly ServerAddress[];
	readonly token: string | undefined;
	readonly user: string | undefined;
	readonly password: string | undefined;
	readonly nkey: string | undefined;
	readonly creds: string | undefined;
	readonly tls: false | object | undefined;
	readonly prefix: string;
}

const names = ["servers", "token", "user", "password", "nkey", "creds", "tls", "subject_prefix"];
const addressForm = "nats://host:4222, tls://host:4222 or host:4222, without credentials, or a list of these";

/** Parses the options. Throws `SVC_CONFIG` with the name of the invalid option, but never with a credential. */
export function parseOptions(given: unknown): NatsBusSettings {
	const options = toOptions(given, names);
	const { subject_prefix: prefix = "svc.bus" } = options;
	if (typeof prefix !== "string" || !/^[\w-]{1,50}(\.[\w-]{1,50}){0,9}$/.test(prefix))
		throw wrongOption("subject_prefix", "1 to 10 words of letters, digits, _ and -, separated by dots");
	const texts = parseCredentials(options);
	const addresses = parseServers(options["servers"]);
	const tls = parseTls("tls", options["tls"]) ?? (addresses.some(({ isTls }) => isTls) ? {} : undefined);
	return { servers: addresses.map(({ host, port }) => ({ host, port })), ...texts, tls, prefix };
}

function parseCredentials(options: Readonly<Record<string, unknown>>) {
	const text = (name: string) => {
		const value = options[name];
		if (value !== undefined && (typeof value !== "string" || value === "")) throw wrongOption(name, "a text");
		return value as string | undefined;
	};
	const credentials = { token: text("token"), user: text("user"), password: text("password"), nkey: text("nkey"), creds: text("creds") };
	const { token, user, nkey, creds, password } = credentials;
	if ([token, user, nkey, creds].filter((value) => value !== undefined).length > 1)
		throw new SvcError("SVC_CONFIG", "event_bus: only one of token, user, nkey and creds may be set");
	if ((user === undefined) !== (password === undefined))
		throw new SvcError("SVC_CONFIG", "event_bus: user and password must be set together");
	return credentials;
}

function parseServers(servers: unknown) {
	const list: readonly unknown[] = Array.isArray(servers) ? servers : [servers];
	if (list.length === 0) throw wrongOption("servers", addressForm);
	return list.map(parseServer);
}

function parseServer(server: unknown): ServerAddress & { readonly isTls: boolean } {
	const match = typeof server === "string" ? /^(?:(nats|tls):\/\/)?([\w.-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?\/?$/i.exec(server.trim()) : null;
	const port = Number(match?.[3] ?? 4222);
	if (match === null || port < 1 || port > 65_535) throw wrongOption("servers", addressForm);
	return { host: match[2] ?? "", port, isTls: match[1]?.toLowerCase() === "tls" };
}
