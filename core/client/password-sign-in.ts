import type { JsonObject } from "../contract/index.ts";
import type { ApiClient } from "./api-client.ts";
import { readJson } from "./request.ts";

/** A new token. Only this response contains its secret value, `token`. */
export interface TokenRecord {
	readonly id: string;
	readonly user: string;
	readonly token: string;
	readonly expiry: string;
	readonly metadata: JsonObject;
	readonly service: boolean;
}

/** Credentials of a user. */
export interface PasswordCredentials {
	readonly username: string;
	readonly password: string;
}

/** Exchanges a password for a token. To use the token, pass it to `createApi`: the client of this call keeps its own credential. */
export async function requestToken(
	{ send, addresses }: Pick<ApiClient, "send" | "addresses">,
	{ username, password }: PasswordCredentials,
	{ ttl, signal }: { readonly ttl?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<TokenRecord> {
	const authorization = `Basic ${toBase64(`${username}:${password}`)}`;
	const body = ttl === undefined ? {} : { ttl };
	return readJson(await send(`${addresses.authUrl}/tokens`, { method: "POST", headers: { authorization }, body, signal }));
}

/** Encodes text without `Buffer`, so that it also works in browsers. */
function toBase64(text: string): string {
	return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
