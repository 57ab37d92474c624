import type { Lifecycle, Plugin } from "./plugin.ts";

/** A user name and a password to verify. */
export interface Credentials {
	readonly username: string;
	/** Never empty: the host refuses an empty password before any backend sees it. */
	readonly password: string;
}

/** Who somebody is, once verified. */
export interface Identity {
	/** The name the service uses from here on; normally `credentials.username`. */
	readonly username: string;
	/** Names of the groups the backend knows the user to be in, when it knows any. */
	readonly groups?: readonly string[];
	/**
	 * What stays the same of somebody whose name may change or be given to another, unique among all that the backend knows. A name belongs to
	 * the subject that signed in by it first: another one is refused, and so is a name that somebody has signed in by without one. Default:
	 * names are never given to others.
	 */
	readonly subject?: string;
	/** With `subject`: a name that somebody has signed in by without a subject is taken over. Default false. */
	readonly takesOver?: boolean;
	/**
	 * The session at the provider, unique among all that the backend knows: what is given for it ends when the backend answers it as an
	 * `EndedSignIn`. Default: not known.
	 */
	readonly session?: string;
}

/** Word of a provider that somebody has signed out of it. It names a subject, a session, or both. */
export interface EndedSignIn {
	/** Tells it from all other words of the provider: each counts once. */
	readonly id: string;
	/** As `Identity.subject`. Without a session, all that was given to it has ended. */
	readonly subject?: string;
	/** As `Identity.session`. */
	readonly session?: string;
}

/** A sign-in that somebody does elsewhere, with a browser. */
export interface StartedSignIn {
	/** Where the browser goes: `https:`, or `http:` on the machine itself. */
	readonly url: string;
	/**
	 * What `complete` must know of this sign-in, such as a nonce; at most 1,000 characters of `A-Z a-z 0-9 . _ ~ -`. The host keeps it in that
	 * browser and nowhere else, where no script reads it; whoever uses the browser can.
	 */
	readonly kept: string;
}

/** What a browser has come back with. */
export interface ReturnedSignIn {
	/** As `begin` was given it. */
	readonly redirectUri: string;
	/** As `begin` was given it: the host has made sure that the browser comes back with the same. */
	readonly state: string;
	/** As `begin` answered it, unless whoever uses the browser has changed it. */
	readonly kept: string;
	/** The query of the address that the browser was sent to, as it stands, without the question mark. */
	readonly query: string;
}

/** A sign-in that somebody does with another device. */
export interface DeviceSignIn {
	/** By which `pollDevice` finds it. */
	readonly deviceCode: string;
	/** What to enter at `url`. */
	readonly userCode: string;
	readonly url: string;
	/** Where the code is entered already. Default: there is no such address. */
	readonly completeUrl?: string;
	/** Seconds until it ends. */
	readonly expiresIn: number;
	/** Seconds between two calls of `pollDevice`, at least. */
	readonly interval: number;
}

/** Nobody has decided yet. */
export interface DevicePending {
	readonly pending: true;
	/** Whether the next call must wait five seconds longer than those before. */
	readonly slowDown: boolean;
}

/**
 * Sign-in with a provider that asks people itself. "No" is undefined; `SVC_UNAVAILABLE` when it cannot be found out, such as while the
 * provider is away. No error and no line of the log holds what would let somebody in.
 */
export interface InteractiveSignIn {
	/** What people call the provider: a button says "Sign in with …". */
	readonly label: string;
	/** @param redirectUri where the browser is to come back to @param state what it is to come back with, in the query as `state` */
	begin(
		request: { readonly redirectUri: string; readonly state: string },
		options: { readonly signal: AbortSignal },
	): Promise<StartedSignIn>;
	/** Who it is. Of an answer that it has said yes to before it must say no, or the provider does. */
	complete(returned: ReturnedSignIn, options: { readonly signal: AbortSignal }): Promise<Identity | undefined>;
	/** For those who have no browser where they are; `SVC_NOT_FOUND` where the provider has no such sign-in. This and the next go together; default: there is none. */
	beginDevice?(options: { readonly signal: AbortSignal }): Promise<DeviceSignIn>;
	/** Whether somebody has decided. */
	pollDevice?(deviceCode: string, options: { readonly signal: AbortSignal }): Promise<Identity | DevicePending | undefined>;
	/**
	 * Where the browser goes to sign out of the provider too, and comes back to `returnUri`; undefined where there is no such place. Default:
	 * there is none.
	 */
	signOutUrl?(request: { readonly returnUri: string }, options: { readonly signal: AbortSignal }): Promise<string | undefined>;
	/**
	 * What a message says that the provider sends by itself when somebody signs out of it; undefined for one that is not the provider's, not for
	 * this service, or too old. The host takes each once, and ends what was given; it asks about up to 64 at once. Default: there are no such messages.
	 */
	verifySignOut?(message: string, options: { readonly signal: AbortSignal }): Promise<EndedSignIn | undefined>;
}

/**
 * Verifies a user name and password. "No" is a value, "cannot tell" is an error: an outage must never look like a refusal
 * and never like a sign-in.
 */
export interface AuthBackend extends Lifecycle {
	/** Whether there are passwords. Default true. False: `authenticate` refuses everybody, and pages do not ask for any. */
	readonly takesPasswords?: boolean;
	/** Sign-in with a provider that asks people itself. It never changes. Default: there is none. */
	readonly interactive?: InteractiveSignIn;
	/**
	 * The identity, or undefined when name or password is wrong. The time taken must not tell an unknown user from a wrong
	 * password. Throws `SVC_UNAVAILABLE` when it could not find out; never logs or throws the password.
	 */
	authenticate(credentials: Credentials, options: { readonly signal: AbortSignal }): Promise<Identity | undefined>;
	/** Whether no user exists yet. With `addUser`, lets the first start make the first administrator. */
	isEmpty?(): Promise<boolean>;
	/** Store a user with this password (hashed). Only called when `isEmpty` said so. */
	addUser?(credentials: Credentials): Promise<void>;
	/**
	 * Names of the users that it keeps itself, for `svc user`. This and the next two go together; default: the users are kept elsewhere. They
	 * are called between `start` and `stop`, in a process of its own while the service runs.
	 */
	listUsers?(): Promise<readonly string[]>;
	/**
	 * Keep a password (hashed), of a user who `isNew` or of one who is there. `SVC_CONFLICT` and `SVC_NOT_FOUND` where that is not so,
	 * `SVC_INVALID` for a name or password that cannot be.
	 */
	setPassword?(credentials: Credentials, options: { readonly isNew: boolean }): Promise<void>;
	/** The user cannot sign in any more. `SVC_NOT_FOUND`. */
	removeUser?(username: string): Promise<void>;
}

/** An auth backend as a configuration holds it. */
export type AuthBackendPlugin = Plugin<"auth-backend", AuthBackend>;
