import type { PermissionType } from "../kernel/basics/permission-types.ts";
import type { Resource } from "../kernel/basics/refs.ts";
import type { Guard } from "./authorizer.ts";

/** What a route asks of its caller: nothing, any valid credential, the role of an administrator, or a permission. */
export type Permission = "public" | "authenticated" | "admin" | PermissionType;

/** The record that a permission is asked for. */
export type GuardedResource = Resource & {
	/** Values for the path that name this record and no other. */
	readonly path?: Readonly<Record<string, string>>;
	/** Asked for instead of the permission of the route, where the record says what it takes: a trigger may be a webhook or a timer. */
	readonly permission?: PermissionType;
};

/** A route as far as its permission goes. */
interface GuardedRoute {
	readonly component: string;
	readonly method: string;
	readonly path: string;
	readonly permission: Permission;
	readonly resource?: unknown;
}

/** What is wrong with a route's declaration: a permission that is none, or one about records without a record. */
export function findPermissionProblem(route: GuardedRoute, guard: Guard): string | undefined {
	const { component, method, path, permission, resource } = route;
	if (permission === "authenticated" && !guard.openToAuthenticated.has(`${component} ${method} ${path}`)) {
		return 'is not one of those that may declare "authenticated"; hint: give it a permission type of its own';
	}
	if (permission === "public" || permission === "authenticated" || permission === "admin") {
		return resource === undefined ? undefined : `declares a resource, which "${permission}" does not look at`;
	}
	if (!guard.isPermission(permission)) return "declares no known permission";
	if (resource === undefined && !guard.isGlobal(permission))
		return `declares no resource for "${permission}", which concerns single records`;
	return undefined;
}
