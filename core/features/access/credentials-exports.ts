import type { JsonObject } from "../../contract/index.ts";
import type { OfferedCredentials, Principal } from "../../kernel/basics/principal.ts";
import type { ProxyClaim } from "./trusted-proxies-exports.ts";

/** User and addresses that a fronting proxy reports for a request. */
export interface RemoteUser extends ProxyClaim {
	/** Name of the user; undefined if the proxy reports none. */
	readonly username: string | undefined;
	/** Address of the client as reported by the proxy; the address of the peer if it is not a trusted proxy. */
	readonly remoteAddress: string | undefined;
}

/** A newly issued token. */
export interface IssuedToken {
	readonly id: string;
	readonly user: string;
	/** The token itself, which is returned only once. */
	readonly token: string;
	readonly expiry: string;
	readonly metadata: JsonObject;
	readonly service: boolean;
}

/** Sign-in, and verification of tokens and API keys. */
export interface Credentials {
	/**
	 * Issues a token to the user that the fronting proxy has authenticated (`auth.mode: "proxy"`). Throws `SVC_UNAUTHORIZED` if the request
	 * does not come from a trusted proxy.
	 */
	signInByProxy(remote: RemoteUser, options: { readonly ttl?: number | null }): Promise<IssuedToken>;
	/** Verifies a password and issues a token. Throws `SVC_UNAUTHORIZED` if it is wrong, and `SVC_INVALID` for a bad `ttl` (seconds). */
	signIn(
		credentials: { readonly username: string; readonly password: string },
		/** `remoteAddress` is logged, and failed sign-ins are counted for it. */
		options: { readonly ttl?: number | null; readonly remoteAddress?: string | undefined; readonly signal: AbortSignal },
	): Promise<IssuedToken>;
	/** Returns the address of the client: the one that a trusted proxy reports in `X-Forwarded-For`, otherwise the peer's. */
	toClientAddress(claim: ProxyClaim, forwardedFor: string | null): string | undefined;
	/**
	 * Returns the principal of the credentials; the system user if authentication is off. Throws `SVC_UNAUTHORIZED`, whose message contains
	 * the word Unauthorized, if the credentials are missing or invalid.
	 */
	authenticate(offered: OfferedCredentials | undefined): Promise<Principal>;
	/**
	 * Revokes a token. Throws `SVC_FORBIDDEN` for a token of another user unless the principal is an administrator. Throws `SVC_NOT_FOUND`
	 * if the token is unknown or has expired.
	 */
	revoke(token: string, principal: Principal): Promise<void>;
	/** Returns true if the token exists and has not expired. */
	validate(token: string): Promise<boolean>;
}
