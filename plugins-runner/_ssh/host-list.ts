import { SvcError } from "../../core/contract/index.ts";

/** A host as an action names it. */
export interface NamedHost {
	/** What the result calls it: the name alone, or with its port where the list holds the name more than once. */
	readonly key: string;
	readonly host: string;
	/** The port behind the name, if there is one. */
	readonly port: number | undefined;
}

/** Read `web1, web2:2222, [2001:db8::1]:22`. What stands there twice is taken once. */
export function parseHosts(text: string): readonly NamedHost[] {
	const entries = [...new Set(text.split(",").map((entry) => entry.trim()))].filter((entry) => entry !== "").map(parse);
	if (entries.length === 0) throw new SvcError("SVC_INVALID", 'parameter "hosts" must name at least one host');
	return entries.map(({ host, port }) => {
		const isOnlyOne = entries.filter((other) => other.host === host).length === 1;
		return { host, port, key: isOnlyOne || port === undefined ? host : formatAddress(host, port) };
	});
}

/** Read one host, with or without a port. */
export function parseHost(text: string, parameter: string): { readonly host: string; readonly port: number | undefined } {
	const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(text) ?? [];
	// A bare address of version 6 has more than one colon, and no port.
	const host = bracketed ?? plain ?? (/^[0-9a-f:.]+(%\w+)?$/i.test(text) && text.split(":").length > 2 ? text : undefined);
	const port = digits === undefined ? undefined : Number(digits);
	if (host === undefined || host.startsWith("-") || /[\s\0/@]/.test(host) || (port !== undefined && (port < 1 || port > 65_535))) {
		throw new SvcError("SVC_INVALID", `parameter "${parameter}": "${text}" is not a host; allowed are name, name:port and [address]:port`);
	}
	return { host, port };
}

export function formatAddress(host: string, port: number): string {
	return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function parse(entry: string) {
	return parseHost(entry, "hosts");
}
