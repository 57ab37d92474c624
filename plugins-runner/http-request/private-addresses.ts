import { type LookupAddress, type LookupOptions, lookup as resolveHost } from "node:dns";
import { BlockList, isIP, isIPv4, type LookupFunction } from "node:net";
import { SvcError } from "../../core/contract/index.ts";
import { toBareHost } from "./host-rules.ts";

/** Networks that are not part of the public internet (IANA special-purpose registries). */
const privateNetworks4: readonly (readonly [string, number])[] = [
	["0.0.0.0", 8],
	["10.0.0.0", 8],
	["100.64.0.0", 10],
	["127.0.0.0", 8],
	["169.254.0.0", 16],
	["172.16.0.0", 12],
	["192.0.0.0", 24],
	["192.0.2.0", 24],
	["192.88.99.0", 24],
	["192.168.0.0", 16],
	["198.18.0.0", 15],
	["198.51.100.0", 24],
	["203.0.113.0", 24],
	["224.0.0.0", 4],
	["240.0.0.0", 4],
];
const privateNetworks6: readonly (readonly [string, number])[] = [
	["::", 128],
	["::1", 128],
	["64:ff9b:1::", 48],
	["100::", 64],
	["2001::", 32],
	["2001:db8::", 32],
	["fc00::", 7],
	["fe80::", 10],
	["fec0::", 10],
	["ff00::", 8],
];

const privateAddresses = createPrivateAddresses();

/** Returns true if the address is in a network that is not part of the public internet, including an IPv4 address embedded in IPv6. */
export function isPrivateAddress(address: string): boolean {
	const [bare = ""] = address.split("%", 1);
	return privateAddresses.check(bare, isIPv4(bare) ? "ipv4" : "ipv6");
}

/** Throws if the host is a literal private address, for which no name is resolved. */
export function assertPublicHost(url: URL): void {
	const host = toBareHost(url);
	if (isIP(host) !== 0 && isPrivateAddress(host)) throw refused(host);
}

/**
 * Resolves a name and returns only public addresses. The connection uses these addresses, so that a name cannot have different ones when
 * checked and when used.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
	resolveHost(hostname, { ...toLookupOptions(options), all: true }, (error, found) => {
		if (error !== null) return callback(error, "", 0);
		const open = found.filter(({ address }) => !isPrivateAddress(address));
		const [first] = open;
		if (first === undefined) return callback(refused(hostname), "", 0);
		giveAddresses(open, first, options, callback);
	});
};

function giveAddresses(
	addresses: LookupAddress[],
	first: LookupAddress,
	{ all }: LookupOptions,
	callback: Parameters<LookupFunction>[2],
): void {
	if (all === true) callback(null, addresses);
	else callback(null, first.address, first.family);
}

function toLookupOptions({ family, hints }: LookupOptions): LookupOptions {
	return { ...(family !== undefined && { family }), ...(hints !== undefined && { hints }) };
}

function refused(host: string): SvcError {
	return new SvcError("SVC_RUNNER", `url: host "${host}" has a private address, which allow_private_addresses forbids`);
}

function createPrivateAddresses(): BlockList {
	const list = new BlockList();
	for (const [network, prefix] of privateNetworks4) {
		list.addSubnet(network, prefix, "ipv4");
		// Prefixes that embed an IPv4 address in IPv6: mapped, compatible, translated by NAT64, and 6to4.
		for (const guise of ["::ffff:", "::", "64:ff9b::"]) list.addSubnet(`${guise}${network}`, 96 + prefix, "ipv6");
		list.addSubnet(`2002:${toGroups(network)}::`, 16 + prefix, "ipv6");
	}
	for (const [network, prefix] of privateNetworks6) list.addSubnet(network, prefix, "ipv6");
	return list;
}

/** Returns the four bytes of an IPv4 address as two groups of an IPv6 address. */
function toGroups(address: string): string {
	const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
	return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
