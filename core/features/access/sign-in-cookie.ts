import type { Options } from "../../contract/index.ts";

/** Seconds that somebody may take at the provider. */
const longest = 600;

/**
 * The cookie by which a browser is known that comes back from the provider: a link there leads to another site and back, so that `Lax` is the
 * strictest that works.
 */
export function toKeptCookie(kept: string, options: Options): string {
	return `svc-sign-in=${kept}; HttpOnly; Max-Age=${longest}; ${toScope(options)}`;
}

export function toEndedKeptCookie(options: Options): string {
	return `svc-sign-in=; HttpOnly; Max-Age=0; ${toScope(options)}`;
}

export function findKeptCookie(headers: Headers): string | undefined {
	return /(?:^|;)\s*svc-sign-in=([\w-]+)/.exec(headers.get("cookie") ?? "")?.[1];
}

function toScope({ api }: Options): string {
	return `Path=/${api.auth_cookie_secure ? "; Secure" : ""}; SameSite=Lax`;
}
