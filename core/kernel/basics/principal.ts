/** User that a request was authenticated as, or the system user while authentication is off. */
export interface Principal {
	readonly username: string;
	/** True if the user may see secrets, read unlimited pages and act for other users. True for every user while access control is off. */
	readonly isAdmin: boolean;
	/** Names of the user's roles; absent while access control is off. */
	readonly roles?: readonly string[];
	/** Scopes to which an API key is restricted. Absent: everything that the user may do. */
	readonly scopes?: readonly string[];
	/**
	 * Id of the live action, if the credential is the token of a running action. The run acts as its user, but may create no credentials that
	 * outlive it.
	 */
	readonly run?: string;
	/** Author of the rule that started the run, if the credential is the token of such a run. The author's permissions apply to templates. */
	readonly author?: string;
	/** Kind and id of the credential: `token:<id>` or `api_key:<id>`. Absent if no credential was used. */
	readonly credential?: string;
	readonly authentication:
		| { readonly method: "authentication token"; readonly location: "header" | "query"; readonly token_expire: string }
		| { readonly method: "API key"; readonly location: "header" | "query" }
		| { readonly method: "none" };
}

/** Credentials of a request that have not been checked yet. */
export interface OfferedCredentials {
	readonly token?: string;
	readonly apiKey?: string;
	readonly location: "header" | "query";
}

/**
 * Returns the author and scopes to store with content that the principal writes. Their permissions apply when the service executes the
 * content later. For a run that a rule has started, the author is that of the rule.
 */
export function toAuthorship({ author, username, scopes }: Principal): {
	readonly author: string;
	readonly scopes: readonly string[] | null;
} {
	return { author: author ?? username, scopes: scopes ?? null };
}

/**
 * Returns the principal restricted to the scopes of an API key, or of an execution that was started with one; unchanged without scopes. No
 * scope covers what only administrators may do, so a restricted principal is not an administrator.
 */
export function withScopes<P extends Principal>(principal: P, scopes: readonly string[] | null | undefined): P {
	return scopes === null || scopes === undefined ? principal : { ...principal, isAdmin: false, scopes };
}

/** Permissions of users for work that the service does in their name without a request, such as the actions of rules. */
export interface Authority {
	/** Returns the principal of a user, with the current permissions. */
	principalOf(username: string): Promise<Principal>;
	/** Returns true if the user may do everything. */
	isAdministrator(username: string): Promise<boolean>;
	/** Throws `SVC_FORBIDDEN` if the principal may not run the action. Not for API requests, because their route checks the permissions. */
	assertMayRun(principal: Principal, actionRef: string): void;
}

/** Default if no feature provides an authority: every user may do everything. */
export const unrestrictedAuthority: Authority = {
	principalOf: async (username) => ({ username, isAdmin: true, authentication: { method: "none" } }),
	isAdministrator: async () => true,
	assertMayRun() {},
};
