import type { HttpContext } from "./route.ts";

/** Where clients reach the API, without a slash at its end: what the configuration says of it, else the address that it listens at. */
export function toApiUrl({ options, apiUrl }: Pick<HttpContext, "options" | "apiUrl">): string {
	return (options.auth.api_url || apiUrl()).replace(/\/+$/, "");
}
