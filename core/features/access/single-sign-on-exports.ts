import type { DeviceAuthorization, DeviceAuthorizationPending } from "../../contract/index.ts";
import type { IssuedToken } from "./credentials-exports.ts";

/** A single sign-on that was started in a browser. */
export interface BegunSignIn {
	/** Address at the provider to which the browser is redirected. */
	readonly url: string;
	/** Content of the cookie that the browser holds until it returns from the provider. */
	readonly kept: string;
}

/** Client that makes a request, and the signal that ends the request. */
export interface SignInCaller {
	readonly remoteAddress: string | undefined;
	readonly signal: AbortSignal;
}

/** Request of a browser that returns from the provider. */
export interface ReturnedBrowser extends SignInCaller {
	readonly redirectUri: string;
	/** Query of the address, without the question mark. */
	readonly query: string;
	/** Content of the cookie; undefined if the browser has none. */
	readonly kept: string | undefined;
}

/** A completed sign-in: a token, and the path within the web page that was requested at the start. */
export interface FinishedSignIn {
	readonly issued: IssuedToken;
	/** Path within the web page, starting with a slash. */
	readonly place: string;
}

/** Poll for the sign-in of a device. */
export interface DevicePoll extends SignInCaller {
	readonly deviceCode: string;
	/** Lifetime of the token in seconds; null for the default. */
	readonly ttl: number | null;
}

/**
 * Sign-in with a provider that authenticates users itself. All methods throw `SVC_NOT_FOUND` if no provider is configured, and
 * `SVC_UNAVAILABLE` while the provider is unavailable.
 */
export interface SingleSignOn {
	/** Name of the provider, and whether devices without a browser may sign in; undefined if no provider is configured. */
	readonly offer: { readonly label: string; readonly devices: boolean } | undefined;
	/** Starts a sign-in. `place` is the path within the web page to which the browser returns; the start page if it is invalid. */
	begin(request: { readonly redirectUri: string; readonly place: string; readonly signal: AbortSignal }): Promise<BegunSignIn>;
	/**
	 * Completes a sign-in and issues a token. Throws `SVC_UNAUTHORIZED` if the sign-in did not start in that browser, was completed before,
	 * or is refused.
	 */
	complete(returned: ReturnedBrowser): Promise<FinishedSignIn>;
	beginDevice(caller: SignInCaller): Promise<DeviceAuthorization>;
	/** Issues a token once the user has confirmed the sign-in. Throws `SVC_UNAUTHORIZED` if the user refused or the sign-in expired. */
	pollDevice(poll: DevicePoll): Promise<IssuedToken | DeviceAuthorizationPending>;
	/**
	 * Revokes the tokens of a sign-in whose end the provider reports in `message`. Throws `SVC_INVALID` if the message is not a valid one
	 * from the provider, or was processed before. Throws `SVC_NOT_FOUND` if such messages are not supported.
	 */
	endByProvider(said: SignInCaller & { readonly message: string }): Promise<void>;
	/** Returns the address at which to sign out of the provider as well; undefined if the provider has none. */
	signOutUrl(request: { readonly returnUri: string; readonly signal: AbortSignal }): Promise<string | undefined>;
}
