import type { Principal } from "../../kernel/basics/principal.ts";
import { hasAdminRole } from "./access.ts";
import type { Access } from "./access-api.ts";

export interface PrincipalOptions {
	readonly access: Pick<Access, "enabled" | "rolesOf">;
	/** User in whose name the service itself and the rules of packs act. This user may do everything. */
	readonly systemUser: string;
}

/** Somebody in whose name something runs that no request has asked for just now, with the roles of this moment. */
export async function loadCurrentPrincipal(username: string, { access, systemUser }: PrincipalOptions): Promise<Principal> {
	const authentication = { method: "none" } as const;
	if (!access.enabled || username === systemUser) return { username, isAdmin: true, authentication };
	const roles = await access.rolesOf(username);
	return { username, isAdmin: hasAdminRole(roles), roles, authentication };
}
