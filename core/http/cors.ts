import type { Options } from "../contract/index.ts";

/** Where the web UI is served from while somebody develops it. */
const developmentOrigins = ["http://localhost:3000", "http://localhost:8080", "http://127.0.0.1:3000", "http://127.0.0.1:8080"];

/** Headers that let browsers call the service, the same on every answer but for the origin. */
export interface Cors {
	readonly headers: Readonly<Record<string, string>>;
	/** Value of `Access-Control-Allow-Origin`, or undefined when no origin is configured and this one is not allowed. */
	allowOrigin(origin: string | null): string | undefined;
}

export function createCors(options: Options): Cors {
	const configured = options.api.allow_origin;
	const allowed = new Set([...configured, ...developmentOrigins, ...toOrigin(options.auth.api_url)]);
	const allowsAll = allowed.has("*");
	const fallback = configured[0];
	return {
		headers: {
			"access-control-allow-methods": "GET,POST,PUT,DELETE,OPTIONS",
			"access-control-allow-headers": "Content-Type,Authorization,X-Auth-Token,Svc-Api-Key,X-Request-ID",
			"access-control-allow-credentials": "true",
			"access-control-expose-headers": "Content-Type,X-Limit,X-Total-Count,X-Request-ID",
			vary: "Origin",
		},
		allowOrigin: (origin) => (origin !== null && (allowsAll || allowed.has(origin)) ? origin : fallback),
	};
}

function toOrigin(address: string): string[] {
	return URL.canParse(address) ? [new URL(address).origin] : [];
}
