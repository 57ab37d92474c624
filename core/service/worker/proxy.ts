type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the proxy for an address from the environment: `HTTPS_PROXY` or `HTTP_PROXY`, unless `NO_PROXY` names the host. */
export function findProxy(url: string, env: Environment): string | undefined {
	const { protocol, hostname: urlHost } = new URL(url);
	const hostname = withoutBrackets(urlHost);
	const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
	const proxy = env[name] || env[name.toLowerCase()];
	const excluded = (env["NO_PROXY"] || env["no_proxy"] || "").split(",").map((word) => withoutBrackets(word.trim().replace(/^\*?\./, "")));
	if (!proxy || excluded.some((word) => word === "*" || (word !== "" && (hostname === word || hostname.endsWith(`.${word}`)))))
		return undefined;
	return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** IPv6 addresses have brackets in a url, and often none in `NO_PROXY`. */
function withoutBrackets(host: string): string {
	return host.replace(/^\[|\]$/g, "");
}
