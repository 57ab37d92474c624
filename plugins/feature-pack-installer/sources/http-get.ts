import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { SvcError, toErrorMessage } from "../../../core/contract/index.ts";
import { findProxy } from "../../../core/feature.ts";
import { readCaCertificates } from "./ca-certificates.ts";
import { findCredentials } from "./credentials-file.ts";
import { quote } from "./pack-path.ts";
import type { SourceSettings } from "./source-settings.ts";
import { credentialsOf, redactAddress, toAuthorization } from "./url-credentials.ts";

const maxRedirects = 5;
/** Milliseconds without data after which a connection is aborted. */
const silence = 60_000;

type Settings = Pick<SourceSettings, "credentialsFile" | "caFile" | "environment">;

interface GetOptions {
	readonly settings: Settings;
	readonly signal: AbortSignal;
}

/**
 * Sends a GET request and returns the response with status 200, after at most five redirects. The caller must read or destroy its body.
 * Throws `SVC_UNAVAILABLE` with the reason if the request fails.
 */
export async function httpGet(address: string, options: GetOptions): Promise<IncomingMessage> {
	let url = new URL(address);
	const first = url;
	for (let count = 0; ; count += 1) {
		const answer = await ask(url, options, url.origin === first.origin ? credentialsOf(first) : undefined);
		const { statusCode: status = 0, headers } = answer;
		if (status === 200) return answer;
		answer.on("error", () => {}).destroy();
		const { location } = headers;
		if (status < 300 || status > 399 || location === undefined) throw failed(url, `it answers ${status}`);
		if (count === maxRedirects) throw failed(first, `it redirects more than ${maxRedirects} times`);
		url = toNext(url, location);
	}
}

/** Reads the whole body of a response. Throws `SVC_INVALID` if it has more than `limit` bytes. */
export async function readBody(answer: IncomingMessage, limit: number, name: string): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of limited(answer, limit, name)) chunks.push(chunk);
	return Buffer.concat(chunks);
}

/** Yields the chunks of a body. Throws `SVC_INVALID` if the body has more than `limit` bytes. */
export async function* limited(answer: AsyncIterable<Buffer>, limit: number, name: string): AsyncGenerator<Buffer> {
	let size = 0;
	for await (const chunk of answer) {
		size += chunk.length;
		if (size > limit) throw new SvcError("SVC_INVALID", `${name} has more than ${limit} bytes`);
		yield chunk;
	}
}

/**
 * Returns the target of a redirect, without credentials. Throws for a redirect from HTTPS to HTTP, because the response would no longer be
 * encrypted, and for other protocols.
 */
function toNext(from: URL, location: string): URL {
	const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
	const isAllowed = url?.protocol === "https:" || (url?.protocol === "http:" && from.protocol === "http:");
	if (url === undefined || !isAllowed) throw failed(from, "it redirects to a URL that is not https");
	url.username = "";
	url.password = "";
	return url;
}

async function ask(url: URL, { settings, signal }: GetOptions, given: ReturnType<typeof credentialsOf>): Promise<IncomingMessage> {
	const credentials = given ?? (await findCredentials(url, settings.credentialsFile));
	const headers = {
		accept: "*/*",
		"accept-encoding": "identity",
		"user-agent": "svc-automation",
		...(credentials !== undefined && { authorization: toAuthorization(credentials) }),
	};
	try {
		const request = await open(url, headers, { settings, signal });
		return await answerOf(request);
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof SvcError) throw error;
		throw failed(url, toErrorMessage(error), error);
	}
}

async function open(url: URL, headers: Readonly<Record<string, string>>, { settings, signal }: GetOptions): Promise<ClientRequest> {
	const { caFile, environment } = settings;
	const tls = caFile === "" ? {} : { ca: [...readCaCertificates(caFile)] };
	const proxy = toProxy(url, environment);
	const target = { hostname: url.hostname.replace(/^\[|\]$/g, ""), port: url.port, path: url.pathname + url.search };
	const common = { signal, timeout: silence };
	if (url.protocol === "https:") {
		if (proxy === undefined) return requestHttps({ ...target, ...common, ...tls, headers, agent: false });
		const socket = await openTunnel(proxy, url, signal);
		const host = target.hostname;
		const peer = { host, ...(isIP(host) === 0 && { servername: host }), ...tls };
		// No agent: an agent would open a direct connection and bypass the proxy.
		return requestHttps({ ...target, ...common, headers, createConnection: () => connectTls({ socket, ...peer }) });
	}
	if (proxy === undefined) return requestHttp({ ...target, ...common, headers, agent: false });
	const whole = `${url.origin}${target.path}`;
	return requestHttp({
		...toProxyTarget(proxy),
		...common,
		agent: false,
		path: whole,
		headers: { ...headers, host: url.host, ...toProxyHeaders(proxy) },
	});
}

/** Opens a tunnel to the server through the proxy. */
function openTunnel(proxy: URL, { hostname, port }: URL, signal: AbortSignal): Promise<Socket> {
	return new Promise((resolve, reject) => {
		const path = `${hostname}:${port || 443}`;
		const headers = { host: path, ...toProxyHeaders(proxy) };
		const request = requestHttp({ ...toProxyTarget(proxy), method: "CONNECT", path, headers, agent: false, signal, timeout: silence });
		request.once("connect", ({ statusCode }, socket: Socket) => {
			if (statusCode === 200) return resolve(socket);
			socket.destroy();
			reject(new Error(`the proxy responded with status ${statusCode}`));
		});
		request.once("timeout", () => request.destroy(new Error("the proxy did not respond")));
		request.on("error", reject);
		request.end();
	});
}

function toProxyTarget({ hostname, port }: URL) {
	return { hostname: hostname.replace(/^\[|\]$/g, ""), port: port || "80" };
}

function toProxyHeaders(proxy: URL): Record<string, string> {
	const credentials = credentialsOf(proxy);
	return credentials === undefined ? {} : { "proxy-authorization": toAuthorization(credentials) };
}

function answerOf(request: ClientRequest): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		request.once("response", resolve);
		request.once("timeout", () => request.destroy(new Error("the server stopped responding")));
		// The handler remains after the response has begun: an `error` event without a handler would end the process. The reader of the
		// body receives the error too.
		request.on("error", reject);
		request.end();
	});
}

function failed(url: URL, reason: string, cause?: unknown): SvcError {
	return new SvcError("SVC_UNAVAILABLE", `${quote(redactAddress(url.href))} cannot be fetched: ${reason}`, { cause });
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the HTTP proxy for an address. Throws `SVC_CONFIG` if the proxy address is invalid. */
function toProxy(url: URL, environment: Environment): URL | undefined {
	const address = findProxy(url.href, environment);
	if (address === undefined) return undefined;
	const proxy = URL.canParse(address) ? new URL(address) : undefined;
	if (proxy === undefined || proxy.protocol !== "http:")
		throw new SvcError("SVC_CONFIG", "http_proxy, https_proxy, all_proxy: must be a URL that begins with http://");
	return proxy;
}
