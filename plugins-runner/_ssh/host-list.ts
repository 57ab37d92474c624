import { type JsonValue, SvcError, stringifyJson } from "../../core/contract/index.ts";

/** A host as an action specifies it. */
export interface NamedHost {
	/** Name of the host in the result: the name alone, or with its port or user if the list holds the name more than once. */
	readonly key: string;
	readonly host: string;
	/** Port given with the host; undefined if there is none. */
	readonly port: number | undefined;
	/** User given with the host; undefined if there is none. */
	readonly user: string | undefined;
}

type HostAddress = Omit<NamedHost, "key">;

/**
 * Parses hosts such as `web1, root@web2:2222, [2001:db8::1]:22`, separated by commas or lines, or a list of such strings. Duplicates are
 * removed. Throws `SVC_INVALID` if an entry is invalid or there is none.
 */
export function parseHosts(hosts: JsonValue | undefined): readonly NamedHost[] {
	const texts = [hosts ?? ""].flat().flatMap((entry) => (typeof entry === "string" ? entry.split(/[,\n]/) : [stringifyJson(entry)]));
	const entries = [...new Set(texts.map((entry) => entry.trim()))]
		.filter((entry) => entry !== "")
		.map((entry) => parseHost(entry, "hosts"));
	if (entries.length === 0) throw new SvcError("SVC_INVALID", 'parameter "hosts" must name at least one host');
	return entries.map((entry) => ({ ...entry, key: toKey(entry, entries) }));
}

/** Parses one host, with optional user and port. Throws `SVC_INVALID` if it is invalid. */
export function parseHost(text: string, parameter: string): HostAddress {
	const [, user, address = ""] = /^(?:([^@]*)@)?([^@]*)$/.exec(text) ?? [];
	const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(address) ?? [];
	// An IPv6 address without brackets has several colons and no port.
	const host = bracketed ?? plain ?? (/^[0-9a-f:.]+(%\w+)?$/i.test(address) && address.split(":").length > 2 ? address : undefined);
	const port = digits === undefined ? undefined : Number(digits);
	const isUser = user === undefined || /^[^-\s\0/:][^\s\0/:]*$/.test(user);
	if (
		host === undefined ||
		!isUser ||
		host.startsWith("-") ||
		/[\s\0/]/.test(host) ||
		(port !== undefined && (port < 1 || port > 65_535))
	) {
		const allowed = "allowed are name, name:port and [address]:port, each with an optional prefix user@";
		throw new SvcError("SVC_INVALID", `parameter "${parameter}": "${text}" is not a host; ${allowed}`);
	}
	return { host, port, user };
}

export function formatAddress(host: string, port: number): string {
	return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Returns the shortest form of the address that is unique in the list. */
function toKey({ host, port, user }: HostAddress, entries: readonly HostAddress[]): string {
	const others = entries.filter((other) => other.host === host);
	if (others.length === 1) return host;
	const address = port === undefined ? host : formatAddress(host, port);
	const isAmbiguous = others.filter((other) => other.port === port).length > 1;
	return isAmbiguous && user !== undefined ? `${user}@${address}` : address;
}
