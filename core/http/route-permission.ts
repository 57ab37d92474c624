import type { PermissionType } from "../kernel/basics/permission-types.ts";
import type { Resource } from "../kernel/basics/refs.ts";
import type { AccessGuard } from "./access-guard.ts";

/** Requirement of a route: none, any valid credential, the role of an administrator, or a permission. */
export type RoutePermission = "public" | "authenticated" | "admin" | PermissionType;

/** The record that a caller needs a permission on. */
export type GuardedResource = Resource & {
	/** Path values that identify exactly this record. The handler reads the record by them. */
	readonly path?: Readonly<Record<string, string>>;
	/** Permission required instead of that of the route, if it depends on the record: a trigger may be a webhook or a timer. */
	readonly permission?: PermissionType;
};

/** The parts of a route that concern its permission. */
interface GuardedRoute {
	readonly component: string;
	readonly method: string;
	readonly path: string;
	readonly permission: RoutePermission;
	readonly resource?: unknown;
}

/**
 * Returns the problem of a route's permission, or undefined. Problems are an unknown permission, and one that concerns single
 * records on a route without a resource. Others are "authenticated" on a route that may not declare it, and a resource that the
 * permission ignores.
 */
export function findPermissionProblem(route: GuardedRoute, guard: AccessGuard): string | undefined {
	const { component, method, path, permission, resource } = route;
	if (permission === "authenticated" && !guard.openToAuthenticated.has(`${component} ${method} ${path}`)) {
		return 'must not declare "authenticated"; hint: define a permission type for it';
	}
	if (permission === "public" || permission === "authenticated" || permission === "admin") {
		return resource === undefined ? undefined : `declares a resource, which "${permission}" does not use`;
	}
	if (!guard.isPermission(permission)) return "declares no known permission";
	if (resource === undefined && !guard.isGlobal(permission))
		return `declares no resource for "${permission}", which applies to single records`;
	return undefined;
}
