import { SvcError } from "../contract/index.ts";
import type { Principal } from "../kernel/basics/principal.ts";
import type { HttpContext, Route, RouteContext } from "./route.ts";

/**
 * Checks the permission of a route as far as it does not depend on a record. Called before path, query and body are read, so that a
 * caller without the permission cannot make the service buffer a body. Throws `SVC_FORBIDDEN`.
 */
export function assertRoutePermission(route: Route, principal: Principal, { guard, logger }: HttpContext): void {
	const { permission, resource } = route;
	if (permission === "public" || permission === "authenticated" || principal.isAdmin) return;
	if (permission === "admin") {
		logger.warn("permission denied", { user: principal.username, permission: "admin", route: route.path });
		throw new SvcError("SVC_FORBIDDEN", `user "${principal.username}" does not have the role "admin"`);
	}
	if (resource === undefined) guard.assert(principal, permission);
}

/**
 * Checks the permission on the record that a route names, if it names one. Called after path, query and body have been validated. Returns
 * the path values by which the handler must read the record, so that it reads the record that was checked. Throws `SVC_FORBIDDEN`, and the
 * errors of finding the record.
 */
export async function assertRecordPermission(route: Route, context: RouteContext): Promise<RouteContext["path"]> {
	if (route.resource === undefined || context.principal.isAdmin) return context.path;
	const { path, permission = route.permission, ...resource } = await route.resource(context);
	context.guard.assert(context.principal, permission, resource);
	return path === undefined ? context.path : { ...context.path, ...path };
}
