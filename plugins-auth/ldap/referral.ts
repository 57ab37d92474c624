import type { SearchQuery } from "./connection.ts";
import type { Encryption, Server } from "./server.ts";

/** Where a search is to go on. */
export interface ReferralTarget {
	readonly server: Server;
	readonly query: SearchQuery;
}

const scopes: ReadonlyMap<string, SearchQuery["scope"]> = new Map([
	["base", "base"],
	["one", "one"],
	["sub", "sub"],
]);

/**
 * Where a referral leads. The filter stays that of the query, whatever the URL says: it decides who somebody is. Throws for
 * URLs that are not followed: of other schemes, and those that would send passwords less protected than the configuration asks.
 */
export function parseReferral(url: string, query: SearchQuery, encryption: Encryption): ReferralTarget {
	const { protocol, hostname, port, pathname, search } = parseUrl(url);
	const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, "$1");
	if (host === "") throw new Error("it names no server");
	const [, , scope = "", , extensions = ""] = search.split("?");
	if (extensions.startsWith("!")) throw new Error("it asks for an extension");
	return {
		server: toServer({ protocol, host, port }, encryption),
		query: {
			...query,
			base: decodeURIComponent(pathname.slice(1)) || query.base,
			scope: scopes.get(scope.toLowerCase()) ?? query.scope,
		},
	};
}

function parseUrl(url: string): URL {
	try {
		return new URL(url);
	} catch {
		throw new Error("it is not a URL");
	}
}

function toServer({ protocol, host, port }: { protocol: string; host: string; port: string }, encryption: Encryption): Server {
	if (protocol === "ldaps:") return { host, port: Number(port || 636), encryption: "ssl" };
	if (protocol !== "ldap:") throw new Error("only ldap and ldaps are followed");
	if (encryption === "ssl") throw new Error("with use_ssl only ldaps is followed");
	return { host, port: Number(port || 389), encryption };
}
