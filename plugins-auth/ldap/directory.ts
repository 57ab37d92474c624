import type { Entry } from "ldapts";
import { type Connection, type ConnectionContext, type SearchQuery, withConnection } from "./connection.ts";
import { createVerificationError, isServerUnavailable } from "./directory-failure.ts";
import { type Encryption, type Server, toUrl } from "./server.ts";
import type { Settings } from "./settings.ts";

/** An entry and the server that holds it. */
export interface FoundEntry {
	readonly entry: Entry;
	readonly server: Server;
}

export interface DirectoryContext extends ConnectionContext {
	readonly settings: Settings;
}

/** A directory server to which the service account is bound. */
export interface Directory {
	/** Returns all matching entries without duplicates. With `chase_referrals`, also searches the servers to which referrals point. */
	search(query: SearchQuery): Promise<Found>;
}

export interface Found {
	readonly entries: readonly FoundEntry[];
	/** True if a size limit of a server omitted entries. Possible only with `allowsCut`. */
	readonly isCut: boolean;
}

const maxHops = 5;
const maxReferrals = 50;

export function withDirectory<R>(server: Server, context: DirectoryContext, use: (directory: Directory) => Promise<R>): Promise<R> {
	return withServiceAccount(server, context, (connection) =>
		use({
			search: async (query) => {
				const chase: Chase = { visited: new Set(), hops: 0 };
				const { entries, isCut } = await searchOn({ connection, server, query }, context, chase);
				return { entries: withoutRepeats(entries), isCut };
			},
		}),
	);
}

async function withServiceAccount<R>(server: Server, context: DirectoryContext, use: (connection: Connection) => Promise<R>): Promise<R> {
	const { bindDn, bindPassword } = context.settings;
	return withConnection(server, context, async (connection) => {
		await answered(`${toUrl(server)} refuses the service account (bind_dn)`, () => connection.bind(bindDn, bindPassword));
		return use(connection);
	});
}

interface Place {
	readonly connection: Connection;
	readonly server: Server;
	readonly query: SearchQuery;
}

/** Referrals followed so far in one search, to detect loops, and the number of consecutive ones. */
interface Chase {
	readonly visited: Set<string>;
	readonly hops: number;
}

async function searchOn({ connection, server, query }: Place, context: DirectoryContext, chase: Chase): Promise<Found> {
	chase.visited.add(toKey({ server, query }));
	const reason = `${toUrl(server)} did not respond to the search below ${JSON.stringify(query.base)}`;
	const { entries, references, isCut } = await answered(reason, () => connection.search(query));
	const found: FoundEntry[] = entries.map((entry) => ({ entry, server }));
	if (!context.settings.chaseReferrals) return { entries: found, isCut };
	let isAnyCut = isCut;
	for (const targets of toAlternatives(references, query, server)) {
		if (targets.some((target) => chase.visited.has(toKey(target)))) continue;
		if (chase.hops >= maxHops) throw createVerificationError(`referrals go through more than ${maxHops} servers`);
		const further = await follow(targets, context, { ...chase, hops: chase.hops + 1 });
		found.push(...further.entries);
		isAnyCut ||= further.isCut;
	}
	return { entries: found, isCut: isAnyCut };
}

/**
 * Continues the search at the first reachable target. If none is reachable, the sign-in fails: an incomplete search cannot identify the
 * user.
 */
async function follow(targets: readonly ReferralTarget[], context: DirectoryContext, chase: Chase): Promise<Found> {
	let failure: unknown;
	for (const { server, query } of targets) {
		if (chase.visited.size >= maxReferrals) throw createVerificationError(`a search returned more than ${maxReferrals} referrals`);
		chase.visited.add(toKey({ server, query }));
		try {
			return await withServiceAccount(server, context, (connection) => searchOn({ connection, server, query }, context, chase));
		} catch (error) {
			context.signal.throwIfAborted();
			if (!isServerUnavailable(error)) throw error;
			failure = error;
		}
	}
	throw createVerificationError(
		`no server of a referral can be reached: ${targets.map(({ server }) => toUrl(server)).join(", ")}`,
		failure,
	);
}

/** Groups referral URLs by their part of the directory. URLs of the same part are alternative servers. */
function toAlternatives(references: readonly string[], query: SearchQuery, { encryption }: Server): readonly (readonly ReferralTarget[])[] {
	const byPart = new Map<string, ReferralTarget[]>();
	for (const url of references) {
		const target = parse(url, query, encryption);
		const part = `${target.query.scope} ${target.query.base.toLowerCase()}`;
		byPart.set(part, [...(byPart.get(part) ?? []), target]);
	}
	return [...byPart.values()];
}

function parse(url: string, query: SearchQuery, encryption: Server["encryption"]): ReferralTarget {
	try {
		return parseReferral(url, query, encryption);
	} catch (error) {
		throw createVerificationError(`a referral is not followed: ${url}`, error);
	}
}

function toKey({ server, query }: ReferralTarget): string {
	return `${toUrl(server)} ${query.scope} ${query.base.toLowerCase()}`;
}

function withoutRepeats(found: readonly FoundEntry[]): readonly FoundEntry[] {
	return [...new Map(found.toReversed().map((each) => [each.entry.dn.toLowerCase(), each])).values()].toReversed();
}

/**
 * Converts an error response to `SVC_UNAVAILABLE`, because it does not show whether the password is right. Rethrows an outage unchanged, so
 * that the caller can try another server.
 */
async function answered<R>(reason: string, ask: () => Promise<R>): Promise<R> {
	try {
		return await ask();
	} catch (error) {
		throw isServerUnavailable(error) ? error : createVerificationError(reason, error);
	}
}

/** Server and query with which a search continues. */
interface ReferralTarget {
	readonly server: Server;
	readonly query: SearchQuery;
}

const scopes: ReadonlyMap<string, SearchQuery["scope"]> = new Map([
	["base", "base"],
	["one", "one"],
	["sub", "sub"],
]);

/**
 * Returns the target of a referral. The filter of the query is kept even if the URL contains another, because the filter decides which user
 * is meant. Throws for URLs with another scheme, and for those that would send passwords with less protection than configured.
 */
export function parseReferral(url: string, query: SearchQuery, encryption: Encryption): ReferralTarget {
	const { protocol, hostname, port, pathname, search } = parseUrl(url);
	const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, "$1");
	if (host === "") throw new Error("it does not name a server");
	const [, , scope = "", , extensions = ""] = search.split("?");
	if (extensions.startsWith("!")) throw new Error("it requires an extension");
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
	if (protocol !== "ldap:") throw new Error("only ldap and ldaps are supported");
	if (encryption === "ssl") throw new Error("with use_ssl only ldaps is supported");
	return { host, port: Number(port || 389), encryption };
}
