import type { Options, RbacConfig } from "../../contract/index.ts";
import { isReservedName } from "../../kernel/basics/names.ts";

/** Name of the administrator that the first start creates. */
export const firstUsername = "admin";

/** Returns the reason why the first administrator cannot be created; undefined if there is none. */
export function findFirstUserProblem(systemUser: string): string | undefined {
	if (!isReservedName(firstUsername, systemUser)) return undefined;
	return `system_user.user: "${systemUser}" is the name of the first administrator, who could then not sign in; choose another name`;
}

/** Returns a warning, with the remedy, if the first administrator would have no role; otherwise undefined. */
export function findFirstUserWarning({ rbac }: Options, { assignments = [] }: RbacConfig): string | undefined {
	if (!rbac.enable || assignments.some(({ username, roles }) => username === firstUsername && roles.length > 0)) return undefined;
	const hint = `hint: rbac: { assignments: [{ username: "${firstUsername}", roles: ["admin"] }] }`;
	return `rbac.assignments: the first administrator, "${firstUsername}", has no role and therefore no permissions; ${hint}`;
}
