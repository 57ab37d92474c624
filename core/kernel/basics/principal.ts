/** Whoever authenticated a request, or the system user while authentication is off. */
export interface Principal {
	readonly username: string;
	/** Administrators may see secrets, take unlimited pages and act for other users. With access control off: everybody. */
	readonly isAdmin: boolean;
	/** Names of the roles; absent while access control is off. */
	readonly roles?: readonly string[];
	/** What an API key is narrowed to; absent: everything the user may do. */
	readonly scopes?: readonly string[];
	/** Set for the token of a running action: id of its live action. It acts as its user, but hands out nothing that outlives the run. */
	readonly run?: string;
	/** For the token of a run that has come of a rule: the rule's author, whose permissions count for templates. */
	readonly author?: string;
	/** What it asked with, by kind and id: `token:<id>`, `api_key:<id>`; absent where no credential was needed. */
	readonly credential?: string;
	readonly authentication:
		| { readonly method: "authentication token"; readonly location: "header" | "query"; readonly token_expire: string }
		| { readonly method: "API key"; readonly location: "header" | "query" }
		| { readonly method: "none" };
}

/** What a request offered, before it is checked. */
export interface OfferedCredentials {
	readonly token?: string;
	readonly apiKey?: string;
	readonly location: "header" | "query";
}

/**
 * The user and the scopes that count for what the principal writes now and the service carries out later. What a run writes, it writes for
 * the author of the rule that it comes of.
 */
export function toWriter({ author, username, scopes }: Principal): {
	readonly author: string;
	readonly scopes: readonly string[] | null;
} {
	return { author: author ?? username, scopes: scopes ?? null };
}

/**
 * The principal with the scopes of an API key, or of the execution that such a key started; unchanged without. What only administrators may do
 * cannot be named by a scope, so a narrowed principal is not an administrator.
 */
export function withScopes<P extends Principal>(principal: P, scopes: readonly string[] | null | undefined): P {
	return scopes === null || scopes === undefined ? principal : { ...principal, isAdmin: false, scopes };
}

/** Who somebody is, in whose name something runs that no request has asked for just now. */
export interface Authority {
	/** With the permissions of this moment. */
	principalOf(username: string): Promise<Principal>;
	/** Whether this user may do everything. */
	isAdministrator(username: string): Promise<boolean>;
	/** `SVC_FORBIDDEN` where somebody may not run this action. Asked for what no request asks for, as that was looked at where it came in. */
	assertMayRun(principal: Principal, actionRef: string): void;
}

/** Where nobody tells users apart, nobody may do less than others. */
export const noAuthority: Authority = {
	principalOf: async (username) => ({ username, isAdmin: true, authentication: { method: "none" } }),
	isAdministrator: async () => true,
	assertMayRun() {},
};
