// Registers the permission types before any of them is checked.
import "./built-in-permission-types.ts";
import { type PermissionType, resourceTypeOf } from "../../kernel/basics/permission-types.ts";

export * from "../../kernel/basics/permission-types.ts";

const described = {
	list: "List records of the type",
	view: "View a record of the type",
	create: "Create a record of the type",
	modify: "Change a record of the type",
	delete: "Delete a record of the type",
	all: "All permissions on the type",
} as const;

/** Returns the description of a permission for the endpoint of permission types. */
export function describePermission(permission: PermissionType): string {
	const type = resourceTypeOf(permission);
	const verb = permission.slice(type.length + 1);
	const noun = type.replaceAll("_", " ");
	return verb in described ? `${described[verb as keyof typeof described]} ${noun}` : `${verb.replaceAll("_", " ")}: ${noun}`;
}
