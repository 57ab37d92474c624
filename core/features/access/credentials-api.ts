import type { JsonObject } from "../../contract/index.ts";
import type { OfferedCredentials, Principal } from "../../kernel/basics/principal.ts";
import type { ProxyClaim } from "./trusted-proxies-api.ts";

/** What a fronting proxy says of a request. */
export interface RemoteUser {
	/** Undefined when it names nobody. */
	readonly username: string | undefined;
	/** Address of the peer of the connection: must be a trusted proxy. */
	readonly peerAddress: string | undefined;
	/** What the request has in the header `Svc-Proxy-Secret`: must be `auth.proxy_secret` where that is set. */
	readonly proxySecret?: string | undefined;
	/** Address of the client, as the proxy gives it. */
	readonly remoteAddress: string | undefined;
}

/** A token, shown once. */
export interface IssuedToken {
	readonly id: string;
	readonly user: string;
	/** Shown here and never again. */
	readonly token: string;
	readonly expiry: string;
	readonly metadata: JsonObject;
	readonly service: boolean;
}

/** A user name and a password to verify. */
export interface Credentials {
	/**
	 * Issue a token to whoever the fronting proxy has authenticated (`auth.mode: "proxy"`). `SVC_UNAUTHORIZED` when the request
	 * does not come from a trusted proxy.
	 */
	signInByProxy(remote: RemoteUser, options: { readonly ttl?: number | null }): Promise<IssuedToken>;
	/** Sign in and issue a token. `SVC_UNAUTHORIZED` for wrong credentials, `SVC_INVALID` for a bad `ttl` (seconds). */
	signIn(
		credentials: { readonly username: string; readonly password: string },
		/** `remoteAddress` is for the log. */
		options: { readonly ttl?: number | null; readonly remoteAddress?: string; readonly signal: AbortSignal },
	): Promise<IssuedToken>;
	/** Address of the client of a request: the peer's, unless that is a trusted proxy, which says whose (`X-Forwarded-For`). */
	toClientAddress(claim: ProxyClaim, forwardedFor: string | null): string | undefined;
	/** Who it is; `SVC_UNAUTHORIZED` with the word Unauthorized in the message otherwise. With authentication off: the system user. */
	authenticate(offered: OfferedCredentials | undefined): Promise<Principal>;
	/** End a token: one's own, or as an administrator anybody's. `SVC_NOT_FOUND` for an unknown or expired one. */
	revoke(token: string, principal: Principal): Promise<void>;
	/** Whether `token` is known and has not expired. */
	validate(token: string): Promise<boolean>;
}
