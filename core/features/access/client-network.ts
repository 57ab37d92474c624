import { isIPv6 } from "node:net";
import { toPlain } from "./trusted-proxies-api.ts";

const groupsOfNetwork = 4;

/**
 * What a client cannot change at will: its IPv4 address, or the /64 of its IPv6 address, as whoever has one such address has all of
 * that network.
 */
export function toClientNetwork(address: string): string {
	const plain = toPlain(address);
	if (!isIPv6(plain)) return plain;
	const [head = "", tail] = plain.replace(/%.*$/, "").split("::");
	const before = toGroups(head);
	const after = toGroups(tail ?? "");
	// Of the groups that two colons stand for, those that belong to the network are all that is needed.
	const groups =
		tail === undefined ? before : [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill("0"), ...after];
	const network = groups.slice(0, groupsOfNetwork).map((group) => Number.parseInt(group, 16).toString(16));
	return `${network.join(":")}::/64`;
}

function toGroups(text: string): string[] {
	if (text === "") return [];
	// An IPv4 address at the end stands for two groups, behind the network.
	return text.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
}
