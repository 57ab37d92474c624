import { createHash, timingSafeEqual } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { SvcError } from "../../contract/index.ts";

/** Evidence that a request comes from a proxy. */
export interface ProxyClaim {
	/** Address of the peer of the connection. */
	readonly peerAddress: string | undefined;
	/** Secret in the header `Svc-Proxy-Secret`; undefined if the request has none. */
	readonly proxySecret?: string | undefined;
}

/** Proxies whose headers for users and client addresses are accepted. */
export interface TrustedProxies {
	/** Returns true if the request comes from a trusted address and, if `auth.proxy_secret` is set, contains that secret. */
	isProxy(claim: ProxyClaim): boolean;
	/** Returns the address of the client: the one that a trusted proxy reports, otherwise the peer's. */
	toClientAddress(claim: ProxyClaim, forwardedFor: string | null): string | undefined;
}

/** Returns the proxies that `auth.trusted_proxies` and `auth.proxy_secret` identify. */
export function createProxies(auth: { readonly trusted_proxies: readonly string[]; readonly proxy_secret: string }): TrustedProxies {
	const isTrusted = createTrustedProxies(auth.trusted_proxies);
	const isProxy = ({ peerAddress, proxySecret }: ProxyClaim) =>
		isTrusted(peerAddress) && (auth.proxy_secret === "" || isSame(proxySecret ?? "", auth.proxy_secret));
	return {
		isProxy,
		toClientAddress: (claim, forwardedFor) => toClientAddress(claim.peerAddress, isProxy(claim) ? forwardedFor : null, isTrusted),
	};
}

/** Compares two strings in constant time. Both are hashed first: comparing them directly would reveal the length of the secret. */
function isSame(given: string, expected: string): boolean {
	const digest = (text: string) => createHash("sha256").update(text).digest();
	return timingSafeEqual(digest(given), digest(expected));
}

/** Returns a test for addresses in `auth.trusted_proxies`. Throws `SVC_CONFIG` if an entry is not an address or a network. */
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
 * Returns the address of the client. If the peer is a trusted proxy, it is the last address in `X-Forwarded-For` that is not a trusted
 * proxy's; otherwise the peer's. Addresses before that one were sent by the client, so they are ignored.
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

/** Returns the address, with an IPv4 address that a dual-stack socket maps into IPv6 converted to IPv4. */
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
