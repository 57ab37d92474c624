import type { Principal } from "../../kernel/basics/principal.ts";
import { hasAdminRole } from "./access.ts";
import type { Access } from "./access-exports.ts";

export interface PrincipalOptions {
	readonly access: Pick<Access, "enabled" | "rolesOf">;
	/** Name of the user as which the service itself and the rules of packs act. This user may do everything. Default: no such user. */
	readonly systemUser?: string;
	/** Default: none, for work that is not part of a request of the user, such as the action of a rule. */
	readonly authentication?: Principal["authentication"];
}

/** Returns the principal of a user with the roles that the user has now. Without access control every user is an administrator. */
export async function loadPrincipal(
	username: string,
	{ access, systemUser, authentication = { method: "none" } }: PrincipalOptions,
): Promise<Principal> {
	if (!access.enabled || username === systemUser) return { username, isAdmin: true, authentication };
	const roles = await access.rolesOf(username);
	return { username, isAdmin: hasAdminRole(roles), roles, authentication };
}
