import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import type { buildConnector, Dispatcher } from "undici";
import { SvcError, toErrorMessage } from "../../core/contract/index.ts";
import { lookupPublic } from "./private-addresses.ts";
import { toBasic } from "./request.ts";

export type Undici = typeof import("undici");

export interface ConnectionSettings {
	readonly verify: boolean;
	readonly publicOnly: boolean;
	/** Certificates of the trusted authorities; undefined for those of Node.js. */
	readonly authorities: readonly string[] | undefined;
	readonly httpProxy: string | undefined;
	readonly httpsProxy: string | undefined;
}

/** Dispatchers for the requests of one run. */
export interface Connections {
	/** Returns the dispatcher for the URL's protocol. */
	dispatcherFor(url: URL): Dispatcher;
	/** Closes all connections at once. */
	close(): Promise<void>;
}

export async function importUndici(): Promise<Undici> {
	try {
		return await import("undici");
	} catch (error) {
		const message = `runner http-request needs the package "undici", which is missing or does not run here: npm install undici`;
		throw new SvcError("SVC_CONFIG", `${message} (${toErrorMessage(error).split("\n")[0]})`, { cause: error });
	}
}

/** Returns the authorities of Node.js and those of the file; undefined without a file. Throws `SVC_CONFIG` if the file cannot be read. */
export function readAuthorities(path: string | undefined): readonly string[] | undefined {
	if (path === undefined) return undefined;
	try {
		return [...rootCertificates, readFileSync(path, "utf8")];
	} catch (cause) {
		throw new SvcError("SVC_CONFIG", `runner http-request: ca_file "${path}" cannot be read: ${toErrorMessage(cause)}`, { cause });
	}
}

export function createConnections(undici: Undici, settings: ConnectionSettings): Connections {
	const opened = new Map<string, Dispatcher>();
	return {
		dispatcherFor(url) {
			let dispatcher = opened.get(url.protocol);
			if (dispatcher === undefined) {
				dispatcher = createDispatcher(undici, url.protocol, settings);
				opened.set(url.protocol, dispatcher);
			}
			return dispatcher;
		},
		async close() {
			await Promise.all([...opened.values()].map((dispatcher) => dispatcher.destroy()));
		},
	};
}

function createDispatcher(undici: Undici, protocol: string, settings: ConnectionSettings): Dispatcher {
	const { verify, publicOnly, authorities, httpProxy, httpsProxy } = settings;
	// No limits of undici, because the run's own timeout ends slow requests.
	const limits = { headersTimeout: 0, bodyTimeout: 0 };
	const tls: buildConnector.BuildOptions = {
		rejectUnauthorized: verify,
		timeout: 0,
		...(authorities !== undefined && { ca: [...authorities] }),
	};
	const proxy = protocol === "https:" ? httpsProxy : httpProxy;
	if (proxy === undefined || proxy === "") {
		return new undici.Agent({ ...limits, connect: { ...tls, ...(publicOnly && { lookup: lookupPublic }) } });
	}
	const { uri, token } = toProxy(proxy, protocol === "https:" ? "https_proxy" : "http_proxy");
	// Requests to http URLs are forwarded without a tunnel, because many proxies allow tunnels only to port 443.
	return new undici.ProxyAgent({
		...limits,
		uri,
		proxyTunnel: protocol === "https:",
		requestTls: tls,
		proxyTls: tls,
		...(token && { token }),
	});
}

/** Parses the address and credentials of a proxy. */
function toProxy(text: string, name: string): { readonly uri: string; readonly token?: string } {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
		throw new SvcError("SVC_RUNNER", `${name}: must be a URL that begins with http:// or https://`);
	}
	const token =
		url.username === "" && url.password === "" ? undefined : toBasic(decodeURIComponent(url.username), decodeURIComponent(url.password));
	return { uri: url.origin, ...(token !== undefined && { token }) };
}
