import type { OfferedCredentials, Principal } from "../kernel/basics/principal.ts";
import type { Resource } from "../kernel/basics/refs.ts";

/** Authenticates callers and decides about their permissions. */
export interface AccessGuard {
	/**
	 * Returns the principal of a credential. Also called without a credential, because the service may not require any. Throws
	 * `SVC_UNAUTHORIZED` if the credential is not valid or is missing.
	 */
	authenticate(offered: OfferedCredentials | undefined): Promise<Principal>;
	/** Returns true if the principal has a permission: on the resource, or globally if none is given. */
	allows(principal: Principal, permission: string, resource?: Resource): boolean;
	/** Throws `SVC_FORBIDDEN` if `allows` returns false. */
	assert(principal: Principal, permission: string, resource?: Resource): void;
	/** Returns true if a permission of this name exists. Routes can only require such permissions. */
	isPermission(name: string): boolean;
	/** Returns true if a permission does not concern single records. Routes require such a permission without a resource. */
	isGlobal(permission: string): boolean;
	/**
	 * Routes that may declare "authenticated", such as `api GET /user`. Any valid credential may use them, regardless of its roles and scopes:
	 * also that of a user without a role, and an API key that is restricted to one permission.
	 */
	readonly openToAuthenticated: ReadonlySet<string>;
}
