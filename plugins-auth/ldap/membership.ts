import { parseDn } from "./dn.ts";

export interface GroupRequirement {
	/** In the form of `parseDn`; a single part stands for groups anywhere that begin with it. */
	readonly required: readonly (readonly string[])[];
	/** Whether all of them are needed, or one. */
	readonly check: "and" | "or";
}

/** Whether somebody in these groups (distinguished names) has what is required. */
export function isMember(groups: readonly string[], { required, check }: GroupRequirement): boolean {
	const actual = groups.map(parseDn).filter((parts) => parts !== undefined);
	const has = (wanted: readonly string[]) => actual.some((parts) => isGroup(parts, wanted));
	return check === "and" ? required.every(has) : required.some(has);
}

function isGroup(parts: readonly string[], wanted: readonly string[]): boolean {
	if (wanted.length === 1) return parts[0] === wanted[0];
	return parts.length === wanted.length && parts.every((part, index) => part === wanted[index]);
}
