import { isIP } from "node:net";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the address of the proxy for a URL, according to the usual environment variables in lower or upper case: `https_proxy` or
 * `http_proxy`, else `all_proxy`. An address without a scheme gets `http://`. Returns undefined if none is set or `no_proxy` excludes the
 * host.
 */
export function findProxy(url: string, environment: Environment): string | undefined {
	const read = (name: string) => environment[name] || environment[name.toUpperCase()] || "";
	const { protocol, hostname, port } = new URL(url);
	const proxy = read(protocol === "https:" ? "https_proxy" : "http_proxy") || read("all_proxy");
	// A URL has brackets around an IPv6 address; `no_proxy` often has none.
	const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
	if (proxy === "" || isExempt({ host, port: port || (protocol === "https:" ? "443" : "80") }, read("no_proxy"))) return undefined;
	return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/**
 * Returns true if `no_proxy` excludes a host. The list contains hosts, each of which includes its subdomains, optionally with a port; `*`
 * excludes all hosts.
 */
function isExempt({ host, port }: { readonly host: string; readonly port: string }, list: string): boolean {
	const entries = list.split(/[\s,]+/).filter((entry) => entry !== "");
	return entries.some((entry) => {
		if (entry === "*") return true;
		const text = entry.replace(/^\*?\./, "").toLowerCase();
		// The last group of an IPv6 address without brackets looks like a port.
		const [, name = "", wantedPort] = isIP(text) === 6 ? ["", text] : (/^\[?(.*?)\]?(?::(\d+))?$/.exec(text) ?? []);
		return (wantedPort === undefined || wantedPort === port) && (host === name || host.endsWith(`.${name}`));
	});
}
