import type { Clock, Options } from "../contract/index.ts";
import { isCrossOriginRequest, isTrustedOrigin } from "./origin-check.ts";

/**
 * Returns the value of `Set-Cookie` with which a browser can send later requests without the token header. Browsers cannot set headers on
 * requests for event streams. Returns undefined if the token has expired or contains characters that are not safe in a cookie.
 */
export function toTokenCookie(
	token: string,
	expire: string,
	{ clock, options }: { readonly clock: Clock; readonly options: Options },
): string | undefined {
	const maxAgeSeconds = Math.floor(Date.parse(expire) / 1_000 - clock.now() / 1_000_000);
	if (!/^[\w-]+$/.test(token) || !(maxAgeSeconds > 0)) return undefined;
	return `auth-token=${token}; HttpOnly; Max-Age=${maxAgeSeconds}; ${toScope(options.api)}`;
}

/** Returns the value of `Set-Cookie` that deletes the cookie. */
export function toCookieRemoval(options: Options): string {
	return `auth-token=; HttpOnly; Max-Age=0; ${toScope(options.api)}`;
}

/**
 * Returns true if signing in may set the cookie for the requesting page. Otherwise a page of another origin could sign its reader
 * in as another user.
 */
export function mayPageReceiveCookie(request: Request, options: Options): boolean {
	const origin = request.headers.get("origin");
	return !isCrossOriginRequest(request, options) && (origin === null || isTrustedOrigin(origin, request, options));
}

function toScope({ auth_cookie_same_site: sameSite, auth_cookie_secure }: Options["api"]): string {
	const site = sameSite === "unset" ? "" : `; SameSite=${sameSite[0]?.toUpperCase()}${sameSite.slice(1)}`;
	return `Path=/${auth_cookie_secure ? "; Secure" : ""}${site}`;
}
