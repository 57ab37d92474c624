import { isIP } from "node:net";
import { hostname } from "node:os";
import type { Options } from "../contract/index.ts";
import { type Reply, replyFault } from "./replies.ts";

const loopbackName = /^(?:.+\.)?localhost$/;

const refusal = replyFault(
	403,
	"header Host: is not a name of this service. While auth.enable is false, it answers under the names of its own addresses and of the loopback only; allow others by api.allowed_hosts",
);

/**
 * While authentication is off, every client that reaches the service is an administrator. A web page whose owner points the page's name at the
 * service's address ("DNS rebinding") would be such a client in every browser that shows it. So only requests for names that are known to
 * be the service's own are answered. An IP address cannot be pointed elsewhere.
 *
 * Returns a function that gives the refusal for a request under another name, and undefined for a request that may be answered.
 */
export function createHostCheck(options: Options): (request: Request) => Reply | undefined {
	if (options.auth.enable) return () => undefined;
	const own = toOwnNames(options);
	return ({ headers }) => {
		const host = headers.get("host");
		// Every browser sends one.
		if (host === null) return undefined;
		const name = toName(`http://${host}`);
		return name !== undefined && (isAddress(name) || loopbackName.test(name) || own.has(name)) ? undefined : refusal;
	};
}

function toOwnNames({ api, auth, stream, webui }: Options): ReadonlySet<string> {
	const listeners = [api.host, auth.host, stream.host, ...api.allowed_hosts, hostname()].map((host) => `http://${host}`);
	const origins = api.allow_origin.filter((origin) => origin !== "*");
	return new Set([...listeners, ...origins, auth.api_url, webui.webui_base_url].flatMap((address) => toName(address) ?? []));
}

/** Host of an address in lower case, without a dot at its end. */
function toName(address: string): string | undefined {
	return URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, "") : undefined;
}

function isAddress(name: string): boolean {
	return isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}
