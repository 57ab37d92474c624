import type { Options, RoleConfig } from "../../contract/index.ts";
import { isReservedName } from "../../kernel/basics/names.ts";

/** Name of the administrator whom the first start makes. */
export const firstUsername = "admin";

/** Why the first administrator cannot be; undefined when nothing is in the way. */
export function findFirstUserProblem(systemUser: string): string | undefined {
	if (!isReservedName(firstUsername, systemUser)) return undefined;
	return `system_user.user: "${systemUser}" is the first administrator's name, who could not sign in; choose another`;
}

/** What the first administrator lacks to be one, with what to do; undefined when nothing is missing. */
export function findFirstUserWarning({ rbac }: Options, { assignments = [] }: RoleConfig): string | undefined {
	if (!rbac.enable || assignments.some(({ username, roles }) => username === firstUsername && roles.length > 0)) return undefined;
	const hint = `hint: rbac: { assignments: [{ username: "${firstUsername}", roles: ["admin"] }] }`;
	return `rbac.assignments: the first administrator, "${firstUsername}", has no role and may do nothing; ${hint}`;
}
