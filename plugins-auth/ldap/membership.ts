import { parseDn } from "./dn.ts";

export interface GroupRequirement {
	/** Required groups, parsed by `parseDn`. A group with a single component matches every group whose first component is equal. */
	readonly required: readonly (readonly string[])[];
	/** `and` if all groups are required, `or` if one is enough. */
	readonly check: "and" | "or";
}

/** Returns true if a user in these groups (distinguished names) fulfills the requirement. */
export function isMember(groups: readonly string[], { required, check }: GroupRequirement): boolean {
	const actual = groups.map(parseDn).filter((parts) => parts !== undefined);
	const has = (wanted: readonly string[]) => actual.some((parts) => isGroup(parts, wanted));
	return check === "and" ? required.every(has) : required.some(has);
}

function isGroup(parts: readonly string[], wanted: readonly string[]): boolean {
	if (wanted.length === 1) return parts[0] === wanted[0];
	return parts.length === wanted.length && parts.every((part, index) => part === wanted[index]);
}
