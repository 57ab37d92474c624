import { isGlobal, isPermissionType, type PermissionType } from "../features/access/permission-types.ts";
import type { Resource } from "../kernel/basics/resource.ts";
import { toActionResource } from "../kernel/basics/resource.ts";
import type { Engine } from "../kernel/engine-api.ts";

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

/**
 * All that a credential alone is enough for, whatever its roles and scopes. Everything else asks for a permission: a route that says
 * "authenticated" would be open to those without a role, and to a key that may do one thing only.
 */
const openToAuthenticated: ReadonlySet<string> = new Set(["api GET /", "api GET /user", "auth DELETE /tokens/:token"]);

/** What is wrong with a route's declaration: a permission that is none, or one about records without a record. */
export function findPermissionProblem({ component, method, path, permission, resource }: GuardedRoute): string | undefined {
	if (permission === "authenticated" && !openToAuthenticated.has(`${component} ${method} ${path}`)) {
		return 'is not one of those that may declare "authenticated"; hint: give it a permission type of its own';
	}
	if (permission === "public" || permission === "authenticated" || permission === "admin") {
		return resource === undefined ? undefined : `declares a resource, which "${permission}" does not look at`;
	}
	if (!isPermissionType(permission)) return "declares no known permission";
	if (resource === undefined && !isGlobal(permission)) return `declares no resource for "${permission}", which concerns single records`;
	return undefined;
}

/** An execution is guarded by its action. `last` is looked up once, so that what is shown is what was checked. */
export async function findExecutionResource(engine: Engine, idOrLast: string): Promise<GuardedResource> {
	const { entity } = await engine.executions.get(idOrLast, { fields: ["id", "action_ref"] });
	return { ...toActionResource(entity.action_ref), path: { id: entity.id } };
}
