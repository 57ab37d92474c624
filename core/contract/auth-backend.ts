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
}

/**
 * Verifies a user name and password. "No" is a value, "cannot tell" is an error: an outage must never look like a refusal
 * and never like a sign-in.
 */
export interface AuthBackend extends Lifecycle {
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
