import { isReservedName } from "../../kernel/basics/reserved-names.ts";

/** Name of the administrator whom the first start makes. */
export const firstUsername = "admin";

/** Why the first administrator cannot be; undefined when nothing is in the way. */
export function findFirstUserProblem(systemUser: string): string | undefined {
	if (!isReservedName(firstUsername, systemUser)) return undefined;
	return `system_user.user: "${systemUser}" is the first administrator's name, who could not sign in; choose another`;
}
