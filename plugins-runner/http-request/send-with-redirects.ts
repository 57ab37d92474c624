import type { Readable } from "node:stream";
import { SvcError } from "../../core/contract/index.ts";
import type { Connections, Undici } from "./connections.ts";
import type { HttpRequest } from "./request.ts";

/** Response to the last request of a run; its body has not been read. */
export interface HttpResponse {
	readonly status: number;
	/** Names as the server sent them; values of a repeated header are joined by commas. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Readable;
}

interface Answer extends HttpResponse {
	/** Values of the headers `Set-Cookie`, which cannot be separated after joining. */
	readonly setCookies: readonly string[];
}

export interface SendOptions {
	readonly undici: Undici;
	readonly connections: Connections;
	readonly signal: AbortSignal;
	readonly followRedirects: boolean;
	/** Throws for a URL that is not allowed; called for redirects too. */
	readonly assertAllowed: (url: URL) => void;
}

const maximumRedirects = 20;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that a redirect to another origin must not receive. */
const credentialHeaders: ReadonlySet<string> = new Set([
	"authorization",
	"cookie",
	"host",
	"proxy-authorization",
	"x-auth-token",
	"x-api-key",
	"svc-api-key",
]);
const bodyHeaders: ReadonlySet<string> = new Set([
	"content-type",
	"content-encoding",
	"content-language",
	"content-location",
	"content-length",
]);

/** Sends a request and follows redirects if enabled. */
export async function sendWithRedirects(first: HttpRequest, options: SendOptions): Promise<HttpResponse> {
	let request = first;
	const cookies = new RedirectCookies(options.undici);
	for (let count = 0; ; count += 1) {
		options.assertAllowed(request.url);
		const answer = await send(withCookies(request, cookies), options);
		const location = options.followRedirects && redirects.has(answer.status) ? findHeader(answer.headers, "location") : undefined;
		if (location === undefined) return answer;
		// Close the connection instead of reading the body of the redirect.
		answer.body.on("error", () => {}).destroy();
		if (count === maximumRedirects) throw new SvcError("SVC_RUNNER", `more than ${maximumRedirects} redirects`);
		cookies.add(request.url, answer.setCookies);
		request = toRedirected(request, answer.status, location);
	}
}

/** Returns the value of a header, whatever the case in which it was sent. `name` must be in lower case. */
export function findHeader(headers: Readonly<Record<string, string>>, name: string): string | undefined {
	return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

async function send({ method, url, headers, body }: HttpRequest, { undici, connections, signal }: SendOptions): Promise<Answer> {
	const answer = await undici.request(url, {
		method: method as "GET",
		headers,
		body: body instanceof FormData ? toOwnForm(body, undici) : (body ?? null),
		signal,
		dispatcher: connections.dispatcherFor(url),
		responseHeaders: "raw",
	});
	const raw = answer.headers as unknown as readonly string[];
	const setCookies = raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === "set-cookie");
	return { status: answer.statusCode, headers: joinHeaders(raw), setCookies, body: answer.body };
}

/** Converts a form, because undici only sends forms of its own class. */
function toOwnForm(form: FormData, { FormData: OwnForm }: Undici): InstanceType<Undici["FormData"]> {
	const own = new OwnForm();
	for (const [name, value] of form) {
		if (typeof value === "string") own.append(name, value);
		else own.append(name, value, value.name);
	}
	return own;
}

function joinHeaders(raw: readonly string[]): Record<string, string> {
	const names = new Map<string, string>();
	const joined = new Map<string, string>();
	for (let index = 0; index + 1 < raw.length; index += 2) {
		const name = raw[index] as string;
		const value = raw[index + 1] as string;
		const key = names.get(name.toLowerCase()) ?? name;
		names.set(name.toLowerCase(), key);
		const before = joined.get(key);
		joined.set(key, before === undefined ? value : `${before}, ${value}`);
	}
	return Object.fromEntries(joined);
}

function toRedirected(request: HttpRequest, status: number, location: string): HttpRequest {
	const url = URL.canParse(location, request.url.href) ? new URL(location, request.url) : undefined;
	if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
		throw new SvcError("SVC_RUNNER", "the server redirects to a URL that is neither http nor https");
	}
	if (url.hash === "") url.hash = request.url.hash;
	url.username = "";
	url.password = "";
	const becomesGet = status === 303 ? request.method !== "HEAD" : status < 303 && request.method === "POST";
	const dropped = (name: string) =>
		(becomesGet && bodyHeaders.has(name)) || (!keepsCredentials(request.url, url) && credentialHeaders.has(name));
	const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped(name)));
	return becomesGet ? { method: "GET", url, headers, body: undefined } : { ...request, url, headers };
}

function withCookies(request: HttpRequest, cookies: RedirectCookies): HttpRequest {
	const { cookie: given, ...headers } = request.headers;
	const cookie = cookies.headerFor(request.url, given);
	return { ...request, headers: cookie === undefined ? headers : { ...headers, cookie } };
}

/** Returns true for the same origin, and for a change from http to https on the same host with default ports. */
function keepsCredentials(from: URL, to: URL): boolean {
	const isUpgrade = from.protocol === "http:" && to.protocol === "https:" && from.port === "" && to.port === "";
	return from.origin === to.origin || (isUpgrade && from.hostname === to.hostname);
}

interface KeptCookie {
	readonly origin: string;
	readonly path: string;
	readonly isSecure: boolean;
	readonly value: string;
}

/**
 * Cookies that the responses of one run set, for the requests after redirects. They are sent only to the host that set them, even if their
 * `Domain` allows others.
 */
class RedirectCookies {
	readonly #undici: Undici;
	readonly #kept = new Map<string, Map<string, KeptCookie>>();

	constructor(undici: Undici) {
		this.#undici = undici;
	}

	/** @param lines values of the headers `Set-Cookie` of a response */
	add(url: URL, lines: readonly string[]): void {
		const headers = new this.#undici.Headers(lines.map((line) => ["set-cookie", line]));
		const cookies = this.#kept.get(url.hostname) ?? new Map<string, KeptCookie>();
		this.#kept.set(url.hostname, cookies);
		for (const { name, value, path, maxAge, expires, secure = false } of this.#undici.getSetCookies(headers)) {
			const isOver = maxAge !== undefined ? maxAge <= 0 : expires !== undefined && Number(expires) <= Date.now();
			if (isOver) cookies.delete(name);
			else cookies.set(name, { origin: url.origin, path: path ?? defaultPath(url), isSecure: secure, value });
		}
	}

	/**
	 * Returns the value of the header `Cookie` for a request. A cookie that a response has set replaces the action's cookie with the same
	 * name.
	 */
	headerFor(url: URL, given: string | undefined): string | undefined {
		const kept = [...(this.#kept.get(url.hostname) ?? [])].filter(([, cookie]) => isFor(cookie, url));
		const names = new Set(kept.map(([name]) => name));
		const own = (given ?? "").split("; ").filter((pair) => pair !== "" && !names.has(pair.split("=", 1)[0] ?? ""));
		const all = [...own, ...kept.map(([name, { value }]) => `${name}=${value}`)];
		return all.length === 0 ? undefined : all.join("; ");
	}
}

function isFor({ path, isSecure, origin }: KeptCookie, url: URL): boolean {
	const isWithin = url.pathname === path || url.pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
	// A cookie set over an encrypted connection is not sent over an unencrypted one.
	const isEncrypted = url.protocol === "https:";
	return isWithin && (isEncrypted || !(isSecure || origin.startsWith("https:")));
}

function defaultPath({ pathname }: URL): string {
	return pathname.slice(0, pathname.lastIndexOf("/")) || "/";
}
