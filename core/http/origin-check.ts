import { type Options, SvcError } from "../contract/index.ts";
import { toOwnOrigins } from "./cors.ts";
import { isJsonType, toMediaType } from "./media-type.ts";

/**
 * Browsers send the cookie by themselves, whoever wrote the page that asks: a request that shows nothing else must come from a page of
 * the service or of an allowed origin. What other pages could send without asking first, forms and plain text, is not taken either.
 * Throws `SVC_FORBIDDEN`, and `SVC_INVALID` for a body that is not JSON.
 */
export function assertOwnPage(request: Request, options: Options): void {
	if (isReading(request)) return assertNotForeign(request, options);
	const origin = request.headers.get("origin");
	if (origin === null || !isOwn(origin, request, options) || isFromElsewhere(request, options)) throw foreign(origin);
	assertJson(request.headers);
}

/**
 * While authentication is off, whoever reaches the service may do everything, and a page of somebody else reaches it through the
 * browser of anybody who does. Programs that are no browsers say nothing of pages. Throws `SVC_FORBIDDEN`.
 */
export function assertNotForeign(request: Request, options: Options): void {
	const origin = request.headers.get("origin");
	if (origin !== null && !isOwn(origin, request, options)) throw foreign(origin);
	// Following a link is no request of the page that has it: it cannot see the answer.
	const isLink = isReading(request) && request.headers.get("sec-fetch-mode") === "navigate";
	if (!isLink && isFromElsewhere(request, options)) throw foreign(origin);
}

function isReading({ method }: Request): boolean {
	return method === "GET" || method === "HEAD";
}

/** Whether a page of this origin is one of the service, or of an allowed origin. */
export function isOwn(origin: string, request: Request, options: Options): boolean {
	if (toOwnOrigins(options).has(origin)) return true;
	// "null" among them: pages in a sandbox, from files and from data addresses.
	if (!URL.canParse(origin)) return false;
	const { protocol, host } = new URL(origin);
	const address = new URL(request.url);
	// A proxy may speak TLS to the browser and none to the service, but not the other way round.
	if (protocol !== "https:" && protocol !== address.protocol) return false;
	const asked = `${protocol}//${request.headers.get("host") ?? address.host}`;
	return URL.canParse(asked) && new URL(asked).host === host;
}

/** Whether the browser says that a page of another origin asks; it says nothing where it does not trust the connection. */
export function isFromElsewhere({ headers }: Request, options: Options): boolean {
	const site = headers.get("sec-fetch-site");
	return site !== null && site !== "same-origin" && site !== "none" && !toOwnOrigins(options).has(headers.get("origin") ?? "");
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

function foreign(origin: string | null): SvcError {
	const from = origin === null ? "which does not say that a page of the service asks" : "which a page of another origin asks";
	return new SvcError(
		"SVC_FORBIDDEN",
		`the cookie alone is not enough for this request, ${from}: send the token as X-Auth-Token, or allow the origin (api.allow_origin, auth.api_url)`,
	);
}
