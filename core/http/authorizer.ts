import type { OfferedCredentials, Principal } from "../kernel/basics/principal.ts";
import type { Resource } from "../kernel/basics/refs.ts";

/** Who asks, and what they may: what the machinery wants of whoever guards the service. */
export interface Guard {
	/** Who it is; `SVC_UNAUTHORIZED` otherwise. Called without credentials too, as there may be no need of any. */
	authenticate(offered: OfferedCredentials | undefined): Promise<Principal>;
	/** Whether the principal has a permission: on a record, or globally. */
	allows(principal: Principal, permission: string, resource?: Resource): boolean;
	/** Throws `SVC_FORBIDDEN` where `allows` says no. */
	assert(principal: Principal, permission: string, resource?: Resource): void;
	/** Whether there is a permission of this name: routes can ask for no other. */
	isPermission(name: string): boolean;
	/** Whether a permission is asked for without a record. */
	isGlobal(permission: string): boolean;
	/**
	 * All that a credential alone is enough for, whatever its roles and scopes, as in `api GET /user`. Everything else asks for a
	 * permission: a route that says "authenticated" would be open to those without a role, and to a key that may do one thing only.
	 */
	readonly openToAuthenticated: ReadonlySet<string>;
}
