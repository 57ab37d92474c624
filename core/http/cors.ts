import type { Options } from "../contract/index.ts";

/** Headers that let browsers call the service. */
export interface Cors {
	/** For an answer to a page of this origin; null: the request says nothing of a page. */
	toHeaders(origin: string | null): Readonly<Record<string, string>>;
}

const shared = {
	"access-control-allow-methods": "GET,POST,PUT,DELETE,OPTIONS",
	"access-control-allow-headers": "Content-Type,Authorization,X-Auth-Token,Svc-Api-Key,X-Request-ID",
	"access-control-expose-headers": "Content-Type,X-Limit,X-Total-Count,X-Total-Count-Exact,X-Request-ID,Svc-Warning",
	vary: "Origin",
};

/**
 * Only origins that are named may use what a browser sends by itself, the cookie and the passwords it remembers: with `*` every page of
 * the world would, so there a page has to bring a credential of its own.
 */
export function createCors(options: Options): Cors {
	const own = toOwnOrigins(options);
	const [fallback] = own;
	const open = options.api.allow_origin.includes("*") ? { ...shared, "access-control-allow-origin": "*" } : shared;
	return {
		toHeaders(origin) {
			const allowed = origin !== null && own.has(origin) ? origin : open === shared ? fallback : undefined;
			if (allowed === undefined) return open;
			return { ...shared, "access-control-allow-origin": allowed, "access-control-allow-credentials": "true" };
		},
	};
}

const known = new WeakMap<Options, ReadonlySet<string>>();

/** Origins whose pages may work with a user's cookie, besides the service's own: the configured ones first. */
export function toOwnOrigins(options: Options): ReadonlySet<string> {
	let origins = known.get(options);
	if (origins === undefined) {
		const configured = options.api.allow_origin.filter((origin) => origin !== "*");
		origins = new Set([...configured, ...toOrigin(options.auth.api_url), ...toOrigin(options.webui.webui_base_url)]);
		known.set(options, origins);
	}
	return origins;
}

function toOrigin(address: string): string[] {
	return URL.canParse(address) ? [new URL(address).origin].filter((origin) => origin !== "null") : [];
}
