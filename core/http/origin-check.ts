import { type Options, SvcError } from "../contract/index.ts";
import { toTrustedOrigins } from "./cors.ts";
import { isJsonType, toMediaType } from "./media-type.ts";

/**
 * Protects requests that are authenticated only by the cookie against cross-site request forgery. Browsers send the cookie with requests of
 * any page. So such a request must be sent by a page of the service or of an allowed origin. Forms and plain text are refused as well,
 * because pages of other origins can send them without a preflight request.
 *
 * Throws `SVC_FORBIDDEN` for a request by another page, and `SVC_INVALID` for a body that is not JSON.
 */
export function assertTrustedPage(request: Request, options: Options): void {
	if (isReading(request)) return assertNotCrossOrigin(request, options);
	const origin = request.headers.get("origin");
	if (origin === null || !isTrustedOrigin(origin, request, options) || isCrossOriginRequest(request, options))
		throw foreignPageError(origin);
	assertJson(request.headers);
}

/**
 * Refuses requests by pages of other origins, with `SVC_FORBIDDEN`. It protects a service without authentication, where every client that
 * reaches the service may do everything. A page of another origin reaches such a service through the browser of any user who can reach it.
 * Programs other than browsers do not send the checked headers and are not affected.
 */
export function assertNotCrossOrigin(request: Request, options: Options): void {
	const origin = request.headers.get("origin");
	if (origin !== null && !isTrustedOrigin(origin, request, options)) throw foreignPageError(origin);
	// Following a link is allowed, because the page with the link cannot read the response.
	const isLink = isReading(request) && request.headers.get("sec-fetch-mode") === "navigate";
	if (!isLink && isCrossOriginRequest(request, options)) throw foreignPageError(origin);
}

function isReading({ method }: Request): boolean {
	return method === "GET" || method === "HEAD";
}

/** Returns true if the origin is the service's own, or one that the options allow. */
export function isTrustedOrigin(origin: string, request: Request, options: Options): boolean {
	if (toTrustedOrigins(options).has(origin)) return true;
	// This includes "null", the origin of sandboxed pages, local files and data URLs.
	if (!URL.canParse(origin)) return false;
	const { protocol, host } = new URL(origin);
	const address = new URL(request.url);
	// A proxy may use TLS towards the browser and not towards the service, but not the other way round.
	if (protocol !== "https:" && protocol !== address.protocol) return false;
	const requested = `${protocol}//${request.headers.get("host") ?? address.host}`;
	return URL.canParse(requested) && new URL(requested).host === host;
}

/**
 * Returns true if the browser reports a page of another origin as the sender. Browsers omit the header `Sec-Fetch-Site` over connections
 * that they do not trust, such as plain HTTP.
 */
export function isCrossOriginRequest({ headers }: Request, options: Options): boolean {
	const site = headers.get("sec-fetch-site");
	return site !== null && site !== "same-origin" && site !== "none" && !toTrustedOrigins(options).has(headers.get("origin") ?? "");
}

function assertJson(headers: Headers): void {
	const type = headers.get("content-type");
	const hasBody = type !== null || headers.has("transfer-encoding") || Number(headers.get("content-length")) > 0;
	if (!hasBody || isJsonType(toMediaType(type))) return;
	throw new SvcError(
		"SVC_INVALID",
		'Failed to parse request body: with the cookie alone it must have the header "Content-Type: application/json"',
	);
}

function foreignPageError(origin: string | null): SvcError {
	const from = origin === null ? "whose origin is not a page of the service" : "which comes from a page of another origin";
	return new SvcError(
		"SVC_FORBIDDEN",
		`the cookie alone is not sufficient for this request, ${from}: send the token as X-Auth-Token, or allow the origin (api.allow_origin, auth.api_url)`,
	);
}
