import { SvcError } from "../contract/index.ts";
import { isGlobal, isPermissionType } from "../engine/access/permission-types.ts";
import type { Engine, PermissionType, Principal, Resource } from "../engine/engine-api.ts";
import type { HttpContext, Route, RouteContext } from "./route.ts";

/** What a route asks of its caller: nothing, any valid credential, the role of an administrator, or a permission. */
export type Permission = "public" | "authenticated" | "admin" | PermissionType;

/** The record that a permission is asked for, and values for the path that name this record and no other. */
export type GuardedResource = Resource & { readonly path?: Readonly<Record<string, string>> };

/** What is wrong with a route's declaration: a permission that is none, or one about records without a record. */
export function findPermissionProblem({ permission, resource }: Pick<Route, "permission" | "resource">): string | undefined {
	if (permission === "public" || permission === "authenticated" || permission === "admin") {
		return resource === undefined ? undefined : `declares a resource, which "${permission}" does not look at`;
	}
	if (!isPermissionType(permission)) return "declares no known permission";
	if (resource === undefined && !isGlobal(permission)) return `declares no resource for "${permission}", which concerns single records`;
	return undefined;
}

/** Before anything of the request is read: what can be decided without a record. Throws `SVC_FORBIDDEN`. */
export function assertGlobally(route: Route, principal: Principal, { engine, logger }: HttpContext): void {
	const { permission, resource } = route;
	if (permission === "public" || permission === "authenticated" || principal.isAdmin) return;
	if (permission === "admin") {
		logger.warn("permission denied", { user: principal.username, permission: "admin", route: route.path });
		throw new SvcError("SVC_FORBIDDEN", `user "${principal.username}" does not have the role "admin"`);
	}
	if (resource === undefined) engine.access.assert(principal, permission);
}

/** Once path, query and body are checked: what depends on the record. What the handler must read it by. Throws `SVC_FORBIDDEN`. */
export async function assertOnRecord(route: Route, context: RouteContext): Promise<RouteContext["path"]> {
	if (route.resource === undefined || context.principal.isAdmin) return context.path;
	const { path, ...resource } = await route.resource(context);
	context.engine.access.assert(context.principal, route.permission as PermissionType, resource);
	return path === undefined ? context.path : { ...context.path, ...path };
}

/** The resource of an action, by its ref. Names of packs have no dot. */
export function toActionResource(ref: string): Resource {
	const [pack = "", ...name] = ref.split(".");
	return { uid: `action:${pack}:${name.join(".")}`, pack };
}

/** An execution is guarded by its action. `last` is looked up once, so that what is shown is what was checked. */
export async function findExecutionResource(engine: Engine, idOrLast: string): Promise<GuardedResource> {
	const { entity } = await engine.executions.get(idOrLast, { fields: ["id", "action_ref"] });
	return { ...toActionResource(entity.action_ref), path: { id: entity.id } };
}
