import type { Clock, Options } from "../contract/index.ts";
import { isFromElsewhere, isOwn } from "./origin-check.ts";

/** The cookie by which a browser goes on without the header, as it can send none with a stream. Undefined for what needs none. */
export function toTokenCookie(
	token: string,
	expire: string,
	{ clock, options }: { readonly clock: Clock; readonly options: Options },
): string | undefined {
	const seconds = Math.floor(Date.parse(expire) / 1_000 - clock.now() / 1_000_000);
	if (!/^[\w-]+$/.test(token) || !(seconds > 0)) return undefined;
	return `auth-token=${token}; HttpOnly; Max-Age=${seconds}; ${toScope(options.api)}`;
}

/** Ends that cookie. */
export function toEndedCookie(options: Options): string {
	return `auth-token=; HttpOnly; Max-Age=0; ${toScope(options.api)}`;
}

/** Whether a page may be given the cookie by signing in: another one could sign its reader in as somebody else. */
export function mayKeepCookie(request: Request, options: Options): boolean {
	const origin = request.headers.get("origin");
	return !isFromElsewhere(request, options) && (origin === null || isOwn(origin, request, options));
}

function toScope({ auth_cookie_same_site: sameSite, auth_cookie_secure }: Options["api"]): string {
	const site = sameSite === "unset" ? "" : `; SameSite=${sameSite[0]?.toUpperCase()}${sameSite.slice(1)}`;
	return `Path=/${auth_cookie_secure ? "; Secure" : ""}${site}`;
}
