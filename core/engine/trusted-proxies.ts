import { BlockList, isIP } from "node:net";
import { SvcError } from "../contract/index.ts";

/** Whether an address is one of `auth.trusted_proxies`. `SVC_CONFIG` names an entry that is no address or network. */
export function createTrustedProxies(entries: readonly string[]): (address: string | undefined) => boolean {
	const trusted = new BlockList();
	for (const entry of entries) add(trusted, entry);
	return (address) => {
		if (address === undefined) return false;
		const plain = address.startsWith("::ffff:") && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
		const family = isIP(plain);
		return family !== 0 && trusted.check(plain, family === 4 ? "ipv4" : "ipv6");
	};
}

function add(list: BlockList, entry: string): void {
	const [address = "", bits] = entry.split("/");
	const family = isIP(address);
	const longest = family === 4 ? 32 : 128;
	const prefix = bits === undefined ? longest : Number(bits);
	if (family === 0 || !/^\d*$/.test(bits ?? "") || !(prefix >= 0 && prefix <= longest)) {
		throw new SvcError("SVC_CONFIG", `auth.trusted_proxies: "${entry}" must be an address or a network such as 10.0.0.0/8`);
	}
	list.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
}
