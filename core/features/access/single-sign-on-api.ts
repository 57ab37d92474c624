import type { DevicePending, DeviceSignIn } from "../../contract/index.ts";
import type { IssuedToken } from "./credentials-api.ts";

/** A sign-in with the provider that has begun. */
export interface BegunSignIn {
	/** Where the browser goes. */
	readonly url: string;
	/** What the browser keeps until it is back, as a cookie. */
	readonly kept: string;
}

/** What a browser has come back with. */
export interface ReturnedBrowser {
	readonly redirectUri: string;
	/** Of the address, without the question mark. */
	readonly query: string;
	/** Undefined where it has kept nothing. */
	readonly kept: string | undefined;
	readonly remoteAddress: string | undefined;
	readonly signal: AbortSignal;
}

/** A sign-in that has come to its end: a token, and the place of the page that was asked for. */
export interface FinishedSignIn {
	readonly issued: IssuedToken;
	/** Begins with a slash. */
	readonly place: string;
}

/** Who asks about a sign-in of a device. */
export interface DevicePoll {
	readonly deviceCode: string;
	/** Seconds the token is to live. */
	readonly ttl: number | null;
	readonly remoteAddress: string | undefined;
	readonly signal: AbortSignal;
}

/** Sign-in with a provider that asks people itself. All but `offer` throw `SVC_NOT_FOUND` where there is none, and `SVC_UNAVAILABLE` while it is away. */
export interface SingleSignOn {
	/** What is offered: what the provider is called, and whether devices without a browser may sign in; undefined where there is no provider. */
	readonly offer: { readonly label: string; readonly devices: boolean } | undefined;
	/** Begin. `place`: of the page, where to come back to; anything that is none leads to the start. */
	begin(request: { readonly redirectUri: string; readonly place: string; readonly signal: AbortSignal }): Promise<BegunSignIn>;
	/** Issue a token. `SVC_UNAUTHORIZED` for whatever did not begin in that browser, has been finished before, or is refused. */
	complete(returned: ReturnedBrowser): Promise<FinishedSignIn>;
	beginDevice(request: { readonly remoteAddress: string | undefined; readonly signal: AbortSignal }): Promise<DeviceSignIn>;
	/** A token, once somebody has said yes. `SVC_UNAUTHORIZED` when they said no, or it is too late. */
	pollDevice(poll: DevicePoll): Promise<IssuedToken | DevicePending>;
	/**
	 * End what was given for a sign-in that has ended at the provider, which says so. `SVC_INVALID` for what it has not said, or has said before;
	 * `SVC_NOT_FOUND` where no such word is taken.
	 */
	endByProvider(said: {
		readonly message: string;
		readonly remoteAddress: string | undefined;
		readonly signal: AbortSignal;
	}): Promise<void>;
	/** Where to go to sign out of the provider too; undefined where there is no such place. */
	signOutUrl(request: { readonly returnUri: string; readonly signal: AbortSignal }): Promise<string | undefined>;
}
