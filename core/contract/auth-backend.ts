import type { Lifecycle, Plugin } from "./plugin.ts";

/** A user name and a password to verify. */
export interface Credentials {
	readonly username: string;
	/** The password. Never empty: the host refuses an empty password before it calls a backend. */
	readonly password: string;
}

/** Identity of a verified user. */
export interface Identity {
	/** Name of the user within the service; usually `credentials.username`. */
	readonly username: string;
	/** Names of the groups of the user. Absent if the backend does not provide any. */
	readonly groups?: readonly string[];
	/**
	 * Permanent identifier of the user, unique within the backend, for backends in which names can change or be reassigned.
	 *
	 * A name belongs to the subject that signed in with it first. Other subjects are refused. A name that was used without a subject before is
	 * also refused, unless `takesOver` is true. Default: the backend never reassigns a name.
	 */
	readonly subject?: string;
	/** True if this subject takes over a name that was used without a subject before. Only with `subject`. Default false. */
	readonly takesOver?: boolean;
	/**
	 * Id of the session at the provider, unique within the backend. When the backend reports its end (`SignOutStatement`), the tokens issued
	 * for it are revoked. Default: unknown.
	 */
	readonly session?: string;
}

/** Statement of a provider that a user has signed out. It names a subject, a session, or both. */
export interface SignOutStatement {
	/** Unique id of the statement. Each statement is processed once. */
	readonly id: string;
	/** Subject as in `Identity.subject`. If `session` is absent, all tokens of the subject are revoked. */
	readonly subject?: string;
	/** Session as in `Identity.session`. */
	readonly session?: string;
}

/** A sign-in that continues in a browser at the provider. */
export interface SignInRedirect {
	/** Address for the browser: `https:`, or `http:` on the local machine. */
	readonly url: string;
	/**
	 * State that `complete` needs, such as a nonce; at most 1,000 characters of `A-Z a-z 0-9 . _ ~ -`.
	 *
	 * The host stores it only in a cookie of this browser. Scripts cannot read the cookie, but the user can.
	 */
	readonly kept: string;
}

/** Parameters with which a browser returns from the provider. */
export interface SignInCallback {
	/** Value that was passed to `begin`. */
	readonly redirectUri: string;
	/** Value that was passed to `begin`. The host has verified that the browser returned with the same value. */
	readonly state: string;
	/** Value that `begin` returned, unless the user of the browser has changed it. */
	readonly kept: string;
	/** Query of the address to which the provider sent the browser, unchanged and without the question mark. */
	readonly query: string;
}

/** A sign-in that the user completes on another device. */
export interface DeviceAuthorization {
	/** Code that identifies the sign-in in `pollDevice`. */
	readonly deviceCode: string;
	/** Code that the user enters at `url`. */
	readonly userCode: string;
	/** Address at which the user enters the code. */
	readonly url: string;
	/** Address that includes the code. Default: there is no such address. */
	readonly completeUrl?: string;
	/** Seconds until the sign-in expires. */
	readonly expiresIn: number;
	/** Minimum number of seconds between two calls of `pollDevice`. */
	readonly interval: number;
}

/** The user has not decided yet. */
export interface DeviceAuthorizationPending {
	readonly pending: true;
	/** True if all further calls must wait five seconds longer than before. */
	readonly slowDown: boolean;
}

/**
 * Sign-in with a provider that interacts with the user itself.
 *
 * Undefined means that the sign-in was refused. `SVC_UNAVAILABLE` means that the result is unknown, for example while the provider is
 * unreachable. Errors and logs must never contain data that would allow a sign-in.
 */
export interface InteractiveSignIn {
	/** Display name of the provider: a button is labelled "Sign in with …". */
	readonly label: string;
	/**
	 * Starts a sign-in.
	 *
	 * @param request `redirectUri` is the address to which the browser returns; `state` is the query parameter with which it returns
	 */
	begin(
		request: { readonly redirectUri: string; readonly state: string },
		options: { readonly signal: AbortSignal },
	): Promise<SignInRedirect>;
	/** Completes a sign-in and returns the identity. The backend or the provider must refuse a response that was accepted before. */
	complete(returned: SignInCallback, options: { readonly signal: AbortSignal }): Promise<Identity | undefined>;
	/**
	 * Starts a sign-in for clients without a browser. Throws `SVC_NOT_FOUND` if the provider does not support it.
	 *
	 * Implement it together with `pollDevice`. Default: not supported.
	 */
	beginDevice?(options: { readonly signal: AbortSignal }): Promise<DeviceAuthorization>;
	/** Returns the decision of the user, or that it is pending. */
	pollDevice?(deviceCode: string, options: { readonly signal: AbortSignal }): Promise<Identity | DeviceAuthorizationPending | undefined>;
	/**
	 * Returns the address at which the browser signs out of the provider before it returns to `returnUri`. Resolves with undefined if
	 * there is none.
	 *
	 * Default: there is no such address.
	 */
	signOutUrl?(request: { readonly returnUri: string }, options: { readonly signal: AbortSignal }): Promise<string | undefined>;
	/**
	 * Verifies a message that the provider sends when a user signs out.
	 *
	 * Resolves with undefined if the message is not from the provider, is not for this service, or is too old. The host processes each
	 * statement once and revokes the tokens issued for it. Each node calls this method for at most 64 messages concurrently. Default: there
	 * are no such messages.
	 */
	verifySignOut?(message: string, options: { readonly signal: AbortSignal }): Promise<SignOutStatement | undefined>;
}

/**
 * Verifies a user name and a password.
 *
 * A refusal is a return value; an unknown result is an error. An unavailable backend must never look like a refusal or like a sign-in.
 */
export interface AuthBackend extends Lifecycle {
	/**
	 * True if the backend verifies passwords. Default true. If it is false, `authenticate` refuses all users, and pages show no field for a
	 * password.
	 */
	readonly takesPasswords?: boolean;
	/** Sign-in with a provider that interacts with the user. It never changes. Default: there is none. */
	readonly interactive?: InteractiveSignIn;
	/**
	 * Returns the identity. Resolves with undefined if the name or the password is wrong.
	 *
	 * The duration must not reveal whether the user exists. Throws `SVC_UNAVAILABLE` if the result is unknown. The password must never
	 * appear in logs or errors.
	 */
	authenticate(credentials: Credentials, options: { readonly signal: AbortSignal }): Promise<Identity | undefined>;
	/** Returns true if no user exists. Together with `addUser`, it allows the first start to create the first administrator. */
	isEmpty?(): Promise<boolean>;
	/**
	 * Stores a user with this password (hashed). Called only if `isEmpty` resolved with true. Throws `SVC_CONFLICT` if another node has
	 * created the user in the meantime, and `SVC_INVALID` for a password that is not allowed.
	 */
	addUser?(credentials: Credentials): Promise<void>;
	/**
	 * Returns the names of the users that the backend itself stores, for `svc user`.
	 *
	 * Implement it together with `setPassword` and `removeUser`. They are called between `start` and `stop`, in a separate process, while the
	 * service may be running. Default: users are managed elsewhere.
	 */
	listUsers?(): Promise<readonly string[]>;
	/**
	 * Stores the password (hashed) of a new user (`isNew`) or an existing user.
	 *
	 * Throws `SVC_CONFLICT` if a new user already exists, `SVC_NOT_FOUND` if an existing user does not, and `SVC_INVALID` for an
	 * invalid name or password.
	 */
	setPassword?(credentials: Credentials, options: { readonly isNew: boolean }): Promise<void>;
	/** Removes a user, who can then no longer sign in. Throws `SVC_NOT_FOUND` if the user does not exist. */
	removeUser?(username: string): Promise<void>;
}

/** An auth backend plugin, as a configuration refers to it. */
export type AuthBackendPlugin = Plugin<"auth-backend", AuthBackend>;
