import type { Principal } from "../../kernel/basics/principal.ts";
import { hasAdminRole } from "./access.ts";
import type { Access } from "./access-exports.ts";

export interface PrincipalOptions {
	readonly access: Pick<Access, "enabled" | "rolesOf">;
	/** Name of the user as which the service itself and the rules of packs act. This user may do everything. */
	readonly systemUser: string;
}

/**
 * Returns the principal of a user for work that is not part of a request of that user, such as the action of a rule. Loads the roles that
 * the user has at the time of the call.
 */
export async function loadPrincipal(username: string, { access, systemUser }: PrincipalOptions): Promise<Principal> {
	const authentication = { method: "none" } as const;
	if (!access.enabled || username === systemUser) return { username, isAdmin: true, authentication };
	const roles = await access.rolesOf(username);
	return { username, isAdmin: hasAdminRole(roles), roles, authentication };
}
