import { SvcError } from "../contract/index.ts";
import type { OfferedCredentials, Principal } from "../kernel/basics/principal.ts";
import { assertNotCrossOrigin, assertTrustedPage, isCrossOriginRequest } from "./origin-check.ts";
import { parseQuery, type RawQuery } from "./query.ts";
import type { HttpContext } from "./route.ts";
import { toTokenCookie } from "./token-cookie.ts";

/** Principal of requests to public routes: an empty username without permissions. */
export const anonymousPrincipal: Principal = { username: "", isAdmin: false, authentication: { method: "none" } };

export interface AuthenticationResult {
	readonly principal: Principal;
	/** Credential of the request. Undefined while authentication is off, and if the request has none. */
	readonly offered?: OfferedCredentials;
	/** Value of `Set-Cookie` that stores the token in the browser, so that later requests need no token header. Absent if it must not be set. */
	readonly cookie?: string;
}

/**
 * Finds the credential of a request and checks it. A token or API key in its own header or query parameter takes precedence over the
 * cookie, and the cookie over the header `Authorization`. Throws `SVC_UNAUTHORIZED` without a valid credential, and the errors of
 * `assertTrustedPage`.
 */
export async function authenticate(
	{ guard, options, clock }: Pick<HttpContext, "guard" | "options" | "clock">,
	request: Request,
	query: RawQuery,
): Promise<AuthenticationResult> {
	const { headers } = request;
	const explicit = findExplicit(headers, query);
	const cookieToken = explicit === undefined ? findCookie(headers) : undefined;
	const authorization = explicit === undefined && cookieToken === undefined ? findAuthorization(headers) : undefined;
	if (cookieToken !== undefined && options.auth.enable) assertTrustedPage(request, options);
	// Browsers add a remembered name and password to requests of any page, as they do with a cookie.
	else if (explicit === undefined && (!options.auth.enable || authorization?.isBasic === true)) assertNotCrossOrigin(request, options);
	const offered = explicit ?? cookieToken ?? authorization?.offered;
	const principal = await guard.authenticate(offered);
	const authenticated = offered !== undefined && options.auth.enable ? { principal, offered } : { principal };
	if (explicit?.token === undefined || principal.authentication.method !== "authentication token") return authenticated;
	// A token in the query of a cross-origin request sets no cookie: a link on another page could sign its reader in as another user.
	if (explicit.location === "query" && isCrossOriginRequest(request, options)) return authenticated;
	const setCookie = toTokenCookie(explicit.token, principal.authentication.token_expire, { clock, options });
	return setCookie === undefined ? authenticated : { cookie: setCookie, ...authenticated };
}

/** Returns the token of a request. Returns undefined if the request has another credential or none. */
export function findToken({ headers, url }: Pick<Request, "headers" | "url">): string | undefined {
	const offered = findExplicit(headers, parseQuery(new URL(url).search)) ?? findCookie(headers) ?? findAuthorization(headers)?.offered;
	return offered?.token;
}

function findExplicit(headers: Headers, query: RawQuery): OfferedCredentials | undefined {
	const headerToken = headers.get("x-auth-token");
	const headerKey = headers.get("svc-api-key");
	const token = headerToken || query.get("x-auth-token");
	const apiKey = headerKey || query.get("svc-api-key");
	if (token && apiKey) {
		throw new SvcError("SVC_UNAUTHORIZED", "Unauthorized - give either a token or an API key, not both");
	}
	if (token) return { token, location: headerToken ? "header" : "query" };
	if (apiKey) return { apiKey, location: headerKey ? "header" : "query" };
	return undefined;
}

/**
 * Returns the token or API key in the header `Authorization`: as bearer, or as the password of basic authentication with any name.
 * Callers must use it only if the request has no other credential, because a proxy may have put its own credential there.
 */
function findAuthorization(headers: Headers): { readonly offered: OfferedCredentials; readonly isBasic: boolean } | undefined {
	const [, scheme = "", value = ""] = /^(Bearer|Basic) +(\S+)$/i.exec(headers.get("authorization")?.trim() ?? "") ?? [];
	const isBasic = scheme.toLowerCase() === "basic";
	const secret = isBasic
		? Buffer.from(value, "base64")
				.toString("utf8")
				.replace(/^[^:]*:?/, "")
		: value;
	if (secret === "") return undefined;
	// Tokens consist of hexadecimal digits. API keys are base64url, which practically always contains other characters.
	const offered: OfferedCredentials = /^[0-9a-f]+$/.test(secret)
		? { token: secret, location: "header" }
		: { apiKey: secret, location: "header" };
	return { offered, isBasic };
}

/** Returns the token in the cookie. Its location is "header". */
function findCookie(headers: Headers): OfferedCredentials | undefined {
	const token = /(?:^|;)\s*auth-token=([^;\s]+)/.exec(headers.get("cookie") ?? "")?.[1];
	return token === undefined ? undefined : { token, location: "header" };
}
