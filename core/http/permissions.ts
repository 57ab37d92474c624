import { isGlobal, isPermissionType } from "../engine/access/permission-types.ts";
import type { Engine, PermissionType, Resource } from "../engine/engine-api.ts";

/** What a route asks of its caller: nothing, any valid credential, the role of an administrator, or a permission. */
export type Permission = "public" | "authenticated" | "admin" | PermissionType;

/** The record that a permission is asked for, and values for the path that name this record and no other. */
export type GuardedResource = Resource & { readonly path?: Readonly<Record<string, string>> };

/** What is wrong with a route's declaration: a permission that is none, or one about records without a record. */
export function findPermissionProblem({
	permission,
	resource,
}: {
	readonly permission: Permission;
	readonly resource?: unknown;
}): string | undefined {
	if (permission === "public" || permission === "authenticated" || permission === "admin") {
		return resource === undefined ? undefined : `declares a resource, which "${permission}" does not look at`;
	}
	if (!isPermissionType(permission)) return "declares no known permission";
	if (resource === undefined && !isGlobal(permission)) return `declares no resource for "${permission}", which concerns single records`;
	return undefined;
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
