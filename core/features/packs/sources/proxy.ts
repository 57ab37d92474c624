import { SvcError } from "../../../contract/index.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that an address is asked through, by the variables that most programs know; undefined: none. */
export function findProxy(url: URL, environment: Environment): URL | undefined {
	const read = (name: string) => environment[name] || environment[name.toUpperCase()] || "";
	const text = read(url.protocol === "https:" ? "https_proxy" : "http_proxy") || read("all_proxy");
	if (text === "" || isExempt(url, read("no_proxy"))) return undefined;
	const address = text.includes("://") ? text : `http://${text}`;
	const proxy = URL.canParse(address) ? new URL(address) : undefined;
	if (proxy === undefined || proxy.protocol !== "http:")
		throw new SvcError("SVC_CONFIG", "http_proxy, https_proxy, all_proxy: must be an address that begins with http://");
	return proxy;
}

/** `no_proxy` names hosts, each with all below it, some with a port. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
	const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
	const own = port || (protocol === "https:" ? "443" : "80");
	return list
		.split(/[\s,]+/)
		.filter((entry) => entry !== "")
		.some((entry) => {
			if (entry === "*") return true;
			const [, name = "", wanted] = /^(.*?)(?::(\d+))?$/.exec(entry.replace(/^\*?\./, "").replace(/^\[|\]/g, "")) ?? [];
			return (wanted === undefined || wanted === own) && (host === name.toLowerCase() || host.endsWith(`.${name.toLowerCase()}`));
		});
}
