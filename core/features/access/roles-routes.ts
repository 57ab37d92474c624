import { SvcError } from "../../contract/index.ts";
import { answerJson, answerPage, answerTooMany, describeList } from "../../http/openapi/responses.ts";
import { mapOf } from "../../http/openapi/schema-builders.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { replyJson } from "../../http/replies.ts";
import { replyRecords } from "../../http/reply-records.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import type { GuardedResource } from "../../http/route-permission.ts";
import { toStableId } from "../../kernel/basics/ids.ts";
import type { RoleAssignment } from "./access-exports.ts";
import type { AccessApi } from "./api.ts";
import { describePermission, listResourceTypes, permissionsOf, type ResourceType } from "./permission-types.ts";
import type { Role } from "./roles.ts";
import { assignmentSchema, permissionTypesSchema, roleSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<Pick<AccessApi, "access">>();

/** Routes for roles, role assignments and permission types. They are read-only: roles come from the configuration and from groups. */
export const roleRoutes = [
	defineRoute({
		method: "GET",
		path: "/rbac/permission_types",
		summary: "List all permission types, by resource type",
		answers: { 200: answerJson(mapOf(permissionTypesSchema)) },
		permission: "admin",
		handler: () => replyJson(Object.fromEntries(listResourceTypes().map((type) => [type, toDescriptions(type)]))),
	}),
	defineRoute({
		method: "GET",
		path: "/rbac/permission_types/:type",
		summary: "List the permission types of a resource type",
		answers: { 200: answerJson(permissionTypesSchema) },
		permission: "admin",
		handler({ path }) {
			const type = listResourceTypes().find((name) => name === path["type"]);
			if (type === undefined) throw new SvcError("SVC_NOT_FOUND", `resource type "${path["type"]}" does not exist`);
			return replyJson(toDescriptions(type));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/rbac/roles",
		summary: "List roles",
		description: "`system=true`: only built-in roles; `false`: only other roles.",
		answers: { 200: describeList(roleSchema) },
		permission: "admin",
		query: { system: "boolean" },
		handler({ engine, query: { system } }) {
			const roles = [...engine.access.roles.values()];
			return replyJson(roles.filter((role) => system === undefined || role.system === system).map(toRole));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/rbac/roles/:name",
		summary: "Get a role by its name or id",
		answers: { 200: answerJson(roleSchema) },
		permission: "admin",
		handler({ engine, path }) {
			const name = path["name"] ?? "";
			const role = engine.access.roles.get(name) ?? [...engine.access.roles.values()].find(({ id }) => id === name);
			if (role === undefined) throw new SvcError("SVC_NOT_FOUND", `role "${name}" does not exist`);
			return replyJson(toRole(role));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/rbac/role_assignments",
		summary: "List the role assignments",
		description: "A user's own assignments (`user=<own name>`) require no permission.",
		answers: { 200: answerPage(assignmentSchema), 429: answerTooMany },
		permission: "role_assignment_list",
		resource: ({ query }) => toAssignmentResource(query.user),
		query: { ...pagingQuery, user: "string", role: "string", source: "string", remote: "boolean" },
		async handler(context) {
			const assignments = await context.engine.access.assignments(context.query);
			return replyRecords(context, parsePaging(context), assignments, (part) => part.map(toAssignment));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/rbac/role_assignments/:id",
		summary: "Get a role assignment",
		answers: { 200: answerJson(assignmentSchema) },
		permission: "role_assignment_view",
		resource: async (context) => toAssignmentResource((await findAssignment(context)).user),
		async handler(context) {
			return replyJson(toAssignment(await findAssignment(context)));
		},
	}),
];

/** Returns the resource that guards role assignments. Users may view their own; the assignments of all users have no owner. */
function toAssignmentResource(user: string | undefined): GuardedResource {
	return { uid: `role_assignment:${user ?? "*"}`, owner: user ?? "" };
}

async function findAssignment({ engine, path }: Pick<RouteContext<Pick<AccessApi, "access">>, "engine" | "path">): Promise<RoleAssignment> {
	const id = path["id"] ?? "";
	const found = (await engine.access.assignments({})).find((assignment) => assignment.id === id);
	if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `role assignment "${id}" does not exist`);
	return found;
}

function toDescriptions(type: ResourceType) {
	return Object.fromEntries(permissionsOf(type).map((permission) => [permission, describePermission(permission)]));
}

function toRole({ id, name, description, system, grants }: Role) {
	const objects = grants.map(({ resource_uid: uid = null, permission_types }, index) => ({
		id: toStableId(`grant:${name}:${index}`),
		resource_uid: uid,
		resource_type: uid?.split(":", 1)[0] ?? null,
		permission_types,
	}));
	const ids = objects.map((grant) => grant.id);
	return { id, name, description, system, permission_grants: ids, permission_grant_ids: ids, permission_grant_objects: objects };
}

function toAssignment({ id, user, role, description, is_remote, source }: RoleAssignment) {
	return { id, user, role, description, is_remote, source };
}
