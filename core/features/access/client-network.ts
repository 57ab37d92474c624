import { isIPv6 } from "node:net";
import { toPlain } from "./trusted-proxies-exports.ts";

const groupsOfNetwork = 4;

/**
 * Returns the part of a client address that the client cannot change at will: an IPv4 address, or the /64 network of an IPv6 address. A
 * client with one IPv6 address can usually use every address of that network.
 */
export function toClientNetwork(address: string): string {
	const plain = toPlain(address);
	if (!isIPv6(plain)) return plain;
	const [head = "", tail] = plain.replace(/%.*$/, "").split("::");
	const before = toGroups(head);
	const after = toGroups(tail ?? "");
	// Two colons represent groups of zeros. Insert them, because some may belong to the network.
	const groups =
		tail === undefined ? before : [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0"), ...after];
	const network = groups.slice(0, groupsOfNetwork).map((group) => Number.parseInt(group, 16).toString(16));
	return `${network.join(":")}::/64`;
}

function toGroups(text: string): string[] {
	if (text === "") return [];
	// An IPv4 address at the end represents two groups, which are not part of the network.
	return text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
}
