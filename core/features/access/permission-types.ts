// Registers the permission types before any of them is checked.
import "./built-in-permission-types.ts";
import { type PermissionType, resourceTypeOf } from "../../kernel/basics/permission-types.ts";

export * from "../../kernel/basics/permission-types.ts";

const described = {
	list: "See the list of",
	view: "See one",
	create: "Create a",
	modify: "Change a",
	delete: "Delete a",
	all: "Everything that can be done with a",
} as const;

/** Returns the description of a permission for the endpoint of permission types. */
export function describePermission(permission: PermissionType): string {
	const type = resourceTypeOf(permission);
	const verb = permission.slice(type.length + 1);
	const noun = type.replaceAll("_", " ");
	return verb in described ? `${described[verb as keyof typeof described]} ${noun}` : `${verb.replaceAll("_", " ")}: ${noun}`;
}
