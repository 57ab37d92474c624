import type { JsonObject } from "../contract/index.ts";
import type { Api } from "./api.ts";
import { readJson } from "./request.ts";

/** A token, shown once. */
export interface TokenRecord {
	readonly id: string;
	readonly user: string;
	readonly token: string;
	readonly expiry: string;
	readonly metadata: JsonObject;
	readonly service: boolean;
}

/** Who signs in. */
export interface Password {
	readonly username: string;
	readonly password: string;
}

/** Exchange a password for a token, which the client of the call does not carry from then on. */
export async function requestToken(
	{ send, addresses }: Pick<Api, "send" | "addresses">,
	{ username, password }: Password,
	{ ttl, signal }: { readonly ttl?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<TokenRecord> {
	const authorization = `Basic ${toBase64(`${username}:${password}`)}`;
	const body = ttl === undefined ? {} : { ttl };
	return readJson(await send(`${addresses.authUrl}/tokens`, { method: "POST", headers: { authorization }, body, signal }));
}

/** In a way that browsers have, too. */
function toBase64(text: string): string {
	return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
