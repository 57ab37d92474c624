import { SvcError } from "../../core/contract/index.ts";

export interface HostLists {
	readonly url_hosts_blacklist: readonly unknown[];
	readonly url_hosts_whitelist: readonly unknown[];
}

/** Throws for a URL whose host is not allowed. */
export type AssertHost = (url: URL) => void;

/** Creates the check of hosts. Hosts are compared without port, brackets and final dot, in the form that is used for the connection. */
export function createHostRule({ url_hosts_blacklist: denied, url_hosts_whitelist: allowed }: HostLists): AssertHost {
	if (denied.length > 0 && allowed.length > 0) {
		throw new SvcError("SVC_RUNNER", "url_hosts_blacklist and url_hosts_whitelist cannot be used together");
	}
	const deniedHosts = new Set(denied.map(toListedHost));
	const allowedHosts = new Set(allowed.map(toListedHost));
	return (url) => {
		const host = toBareHost(url);
		if (deniedHosts.has(host)) throw new SvcError("SVC_RUNNER", `url: host "${host}" is in url_hosts_blacklist`);
		if (allowedHosts.size > 0 && !allowedHosts.has(host))
			throw new SvcError("SVC_RUNNER", `url: host "${host}" is not in url_hosts_whitelist`);
	};
}

/** Returns the host alone: `::1` for `[::1]:80`. */
export function toBareHost({ hostname }: URL): string {
	return hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
}

/** Normalizes an entry like the host of a URL, so that `EXAMPLE.com:80`, `0x7f000001` and `::1` match too. */
function toListedHost(entry: unknown): string {
	const text = String(entry).trim();
	for (const candidate of [`http://${text}/`, `http://[${text}]/`]) if (URL.canParse(candidate)) return toBareHost(new URL(candidate));
	throw new SvcError("SVC_RUNNER", `url_hosts_blacklist, url_hosts_whitelist: "${text}" is not a host`);
}
