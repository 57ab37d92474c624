import { SvcError } from "../contract/index.ts";
import type { Principal } from "../kernel/basics/principal.ts";
import type { HttpContext, Route, RouteContext } from "./route.ts";

/** Before anything of the request is read: what can be decided without a record. Throws `SVC_FORBIDDEN`. */
export function assertGlobally(route: Route, principal: Principal, { guard, logger }: HttpContext): void {
	const { permission, resource } = route;
	if (permission === "public" || permission === "authenticated" || principal.isAdmin) return;
	if (permission === "admin") {
		logger.warn("permission denied", { user: principal.username, permission: "admin", route: route.path });
		throw new SvcError("SVC_FORBIDDEN", `user "${principal.username}" does not have the role "admin"`);
	}
	if (resource === undefined) guard.assert(principal, permission);
}

/** Once path, query and body are checked: what depends on the record. What the handler must read it by. Throws `SVC_FORBIDDEN`. */
export async function assertOnRecord(route: Route, context: RouteContext): Promise<RouteContext["path"]> {
	if (route.resource === undefined || context.principal.isAdmin) return context.path;
	const { path, permission = route.permission, ...resource } = await route.resource(context);
	context.guard.assert(context.principal, permission, resource);
	return path === undefined ? context.path : { ...context.path, ...path };
}
