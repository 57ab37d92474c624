import type { HttpContext } from "./route.ts";

/**
 * Returns the address at which clients reach the API, without a trailing slash: the configured `auth.api_url`, otherwise the
 * listener's address.
 */
export function toApiUrl({ options, apiUrl }: Pick<HttpContext, "options" | "apiUrl">): string {
	return (options.auth.api_url || apiUrl()).replace(/\/+$/, "");
}
