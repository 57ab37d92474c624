import { createHash, timingSafeEqual } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { SvcError } from "../../contract/index.ts";

/** How a proxy shows that it is one. */
export interface ProxyClaim {
	/** Of the other end of the connection. */
	readonly peerAddress: string | undefined;
	/** Undefined where the request has none. */
	readonly proxySecret: string | undefined;
}

/** Whose word is taken for users and client addresses. */
export interface TrustedProxies {
	/** Whether a request comes from a trusted proxy: by its address, and where `auth.proxy_secret` is set by that too. */
	isProxy(claim: ProxyClaim): boolean;
	/** Address of the client of a request: the peer's, unless that is a trusted proxy, which says whose. */
	toClientAddress(claim: ProxyClaim, forwardedFor: string | null): string | undefined;
}

/** The proxies that the options trust. */
export function createProxies(auth: { readonly trusted_proxies: readonly string[]; readonly proxy_secret: string }): TrustedProxies {
	const isTrusted = createTrustedProxies(auth.trusted_proxies);
	const isProxy = ({ peerAddress, proxySecret }: ProxyClaim) =>
		isTrusted(peerAddress) && (auth.proxy_secret === "" || isSame(proxySecret ?? "", auth.proxy_secret));
	return {
		isProxy,
		toClientAddress: (claim, forwardedFor) => toClientAddress(claim.peerAddress, isProxy(claim) ? forwardedFor : null, isTrusted),
	};
}

/** Takes as long for whatever is wrong: both are hashed first, as a comparison tells how long a text is. */
function isSame(given: string, expected: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given), digest(expected));
}

/** Whether an address is one of `auth.trusted_proxies`. `SVC_CONFIG` names an entry that is no address or network. */
export function createTrustedProxies(entries: readonly string[]): (address: string | undefined) => boolean {
	const trusted = new BlockList();
	for (const entry of entries) add(trusted, entry);
	return (address) => {
		const plain = toPlain(address ?? "");
		const family = isIP(plain);
		return family !== 0 && trusted.check(plain, family === 4 ? "ipv4" : "ipv6");
	};
}

/**
 * Address of the client: the peer, or where that is a trusted proxy, the last one of `X-Forwarded-For` that no trusted proxy
 * has. What stands before it came from the client itself.
 */
export function toClientAddress(
	peer: string | undefined,
	forwardedFor: string | null,
	isTrusted: (address: string | undefined) => boolean,
): string | undefined {
	let client = peer;
	const hops = (forwardedFor ?? "").split(",").map((hop) => toPlain(hop.trim()));
	while (isTrusted(client)) {
		const hop = hops.pop();
		if (hop === undefined || isIP(hop) === 0) break;
		client = hop;
	}
	return client;
}

/** IPv4 addresses as they are, also where a socket for both families maps them into IPv6. */
export function toPlain(address: string): string {
	const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
	return mapped !== undefined && isIP(mapped) === 4 ? mapped : address;
}

function add(list: BlockList, entry: string): void {
	const [, address = "", bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
	const plain = bits === undefined ? toPlain(address) : address;
	const family = isIP(plain);
	const longest = family === 4 ? 32 : 128;
	const prefix = bits === undefined ? longest : Number(bits);
	if (family === 0 || plain.includes("%") || prefix > longest) {
		throw new SvcError("SVC_CONFIG", `auth.trusted_proxies: "${entry}" must be an address or a network such as 10.0.0.0/8`);
	}
	list.addSubnet(plain, prefix, family === 4 ? "ipv4" : "ipv6");
}
