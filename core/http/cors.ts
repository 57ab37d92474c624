import type { Options } from "../contract/index.ts";

/** The CORS headers of responses. */
export interface Cors {
	/** Returns the headers for a response to a page of this origin. The origin is null if the request names none. */
	toHeaders(origin: string | null): Readonly<Record<string, string>>;
}

const baseHeaders = {
	"access-control-allow-methods": "GET,POST,PUT,DELETE,OPTIONS",
	"access-control-allow-headers": "Content-Type,Authorization,X-Auth-Token,Svc-Api-Key,X-Request-ID",
	"access-control-expose-headers": "Content-Type,X-Limit,X-Total-Count,X-Total-Count-Exact,X-Request-ID,Svc-Warning",
	vary: "Origin",
};

/**
 * Creates the CORS headers. Only origins that are named in the options may use credentials that a browser sends by itself: the cookie and
 * remembered passwords. If `api.allow_origin` contains `*`, other pages may send requests, but only with a credential of their own. With
 * the browser's credentials, any page could act as its reader.
 */
export function createCors(options: Options): Cors {
	const ownOrigins = toTrustedOrigins(options);
	const [fallback] = ownOrigins;
	const otherHeaders = options.api.allow_origin.includes("*") ? { ...baseHeaders, "access-control-allow-origin": "*" } : baseHeaders;
	return {
		toHeaders(origin) {
			const allowed = origin !== null && ownOrigins.has(origin) ? origin : otherHeaders === baseHeaders ? fallback : undefined;
			if (allowed === undefined) return otherHeaders;
			return { ...baseHeaders, "access-control-allow-origin": allowed, "access-control-allow-credentials": "true" };
		},
	};
}

/**
 * Returns the origins, apart from the service's own, whose pages may use the cookie of a user. The origins of `api.allow_origin` come
 * first: `createCors` names the first one to pages of unknown origins.
 */
export function toTrustedOrigins(options: Options): ReadonlySet<string> {
	const configured = options.api.allow_origin.filter((origin) => origin !== "*");
	return new Set([...configured, ...toOrigin(options.auth.api_url), ...toOrigin(options.webui.webui_base_url)]);
}

function toOrigin(address: string): string[] {
	return URL.canParse(address) ? [new URL(address).origin].filter((origin) => origin !== "null") : [];
}
