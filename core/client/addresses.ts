/** Addresses of the components of a service. */
export interface Addresses {
	/** Base address of the API, such as `http://127.0.0.1:9101/v1`. */
	readonly apiUrl: string;
	/** Base address of the authentication component, such as `http://127.0.0.1:9101/auth/v1`. */
	readonly authUrl: string;
	/** Base address of the stream component, such as `http://127.0.0.1:9101/stream/v1`. */
	readonly streamUrl: string;
}

/** Default address of the API. */
export const defaultApiUrl = "http://127.0.0.1:9101";

/**
 * Returns the three addresses. An address without a path gets `/v1`. Authentication and stream default to `/auth/v1` and `/stream/v1` below
 * the address of the API without `/v1` and `/api`, because the API listener also serves these paths.
 */
export function resolveAddresses(given: Partial<Addresses>): Addresses {
	const apiUrl = withVersion(given.apiUrl ?? defaultApiUrl);
	const root = apiUrl.replace(/\/v\d+$/, "").replace(/\/api$/, "");
	return {
		apiUrl,
		authUrl: given.authUrl === undefined ? `${root}/auth/v1` : withVersion(given.authUrl),
		streamUrl: given.streamUrl === undefined ? `${root}/stream/v1` : withVersion(given.streamUrl),
	};
}

function withVersion(url: string): string {
	const trimmed = url.replace(/\/+$/, "");
	return new URL(trimmed).pathname === "/" ? `${trimmed}/v1` : trimmed;
}
