import { type PolicyEntity, SvcError } from "../../contract/index.ts";
import { defineBody } from "../../http/body.ts";
import { parseSelection, selectionQuery } from "../../http/field-selection.ts";
import { answerConflict, answerJson, answerNothing, answerSelectedPage } from "../../http/openapi/responses.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import { replyJson, replyNoContent } from "../../http/replies.ts";
import { replyList, selectionRulesOf } from "../../http/reply-list.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { type OrderBy, parseSort } from "../../http/sort.ts";
import type { WireRecord } from "../../http/wire-record.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { assertRequired } from "../access/required-permissions-exports.ts";
import { assertNotFollowed, type FollowedDependencies, isSwitchOnly } from "../packs/followed-pack-guard-exports.ts";
import type { PoliciesApi, PolicyInput } from "./policies-exports.ts";
import { toPolicyRights } from "./policy-rights.ts";
import { type PolicyType, policyTypes } from "./policy-types.ts";
import { policyPart, policySchema, policyTypePart, policyTypeSchema } from "./schemas.ts";

/** Members of the engine that the routes use. */
type RouteServices = PoliciesApi & FollowedDependencies;

const { defineRoute } = createRouteDeclarations<RouteServices>();

const defaultLimit = 100;
const policySelection = selectionRulesOf(
	["id", "uid", "ref", "name", "pack", "description", "enabled", "resource_ref", "policy_type", "parameters", "metadata_file"],
	["id", "ref"],
);
const typeSelection = selectionRulesOf(["id", "uid", "ref", "name", "resource_type", "description", "enabled", "module", "parameters"]);
type TypeSortField = "id" | "name" | "resource_type";
const typeSortFields = new Map<string, TypeSortField>((["id", "name", "resource_type"] as const).map((name) => [name, name]));

const text = { type: "string" };
type PolicyBody = Omit<PolicyInput, "description" | "metadata_file"> & {
	readonly description?: string | null;
	readonly metadata_file?: string | null;
};
/** Body of a policy. It includes members that only the service sets, because clients send back the record that they read. */
const policyBody = defineBody<PolicyBody>({
	properties: {
		id: text,
		uid: text,
		ref: text,
		name: { ...text, minLength: 1 },
		pack: text,
		description: { type: ["string", "null"] },
		enabled: { type: "boolean" },
		resource_ref: text,
		policy_type: text,
		parameters: { type: "object" },
		metadata_file: { type: ["string", "null"] },
	},
	required: ["name", "pack", "resource_ref", "policy_type"],
	closed: true,
});

/** Routes for policies and policy types. */
export const policyRoutes = [
	defineRoute({
		method: "GET",
		path: "/policytypes",
		summary: "List policy types",
		answers: { 200: answerSelectedPage(policyTypeSchema, policyTypePart) },
		permission: "policy_type_list",
		query: { ...pagingQuery, ...selectionQuery, id: "string", name: "list", resource_type: "string", sort: "string" },
		handler(context) {
			const { id, name, resource_type, sort } = context.query;
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, typeSelection);
			const ids = id === undefined ? undefined : [parseIds(id)].flat();
			const matching = policyTypes.filter(
				(type) =>
					(ids?.includes(type.id) ?? true) &&
					(name?.includes(type.name) ?? true) &&
					(resource_type === undefined || type.resource_type === resource_type),
			);
			const sorted = toSorted(matching, parseSort(sort, typeSortFields));
			const end = paging.limit === undefined ? undefined : paging.offset + paging.limit;
			const items = sorted.slice(paging.offset, end).map((type) => ({ ...type }));
			return replyList({ items, total: matching.length }, paging, selection);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/policytypes/:ref",
		summary: "Get a policy type",
		answers: { 200: answerJson(policyTypeSchema) },
		permission: "policy_type_view",
		resource: (context) => ({ uid: findType(context).uid }),
		handler: (context) => replyJson(findType(context)),
	}),
	defineRoute({
		method: "GET",
		path: "/policies",
		summary: "List policies",
		answers: { 200: answerSelectedPage(policySchema, policyPart) },
		permission: "policy_list",
		query: {
			...pagingQuery,
			...selectionQuery,
			id: "string",
			name: "list",
			pack: "string",
			resource_ref: "string",
			policy_type: "string",
		},
		async handler(context) {
			const { id, name, pack, resource_ref, policy_type } = context.query;
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, policySelection);
			const filter = {
				...(id !== undefined && { id: parseIds(id) }),
				...withoutUndefined({ name, pack, resource_ref, policy_type }),
			};
			const page = await context.engine.policies.list(filter, paging);
			return replyList({ ...page, items: page.items.map(toPolicy) }, paging, selection);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/policies/:ref",
		summary: "Get a policy",
		answers: { 200: answerJson(policySchema) },
		permission: "policy_view",
		resource: findPolicyResource,
		async handler(context) {
			return replyJson(toPolicy(await findPolicy(context)));
		},
	}),
	defineRoute({
		method: "POST",
		path: "/policies",
		summary: "Create a policy",
		description:
			"409 if the name exists or the action already has a policy of this type. A policy for another pack also requires `policy_create` on that pack; a policy for `*` requires it globally.",
		answers: { 201: answerJson(policySchema), 409: answerConflict },
		permission: "policy_create",
		resource: ({ body }) => toPolicyResource(body),
		body: policyBody,
		async handler({ engine, body, guard, principal }) {
			assertRequired(guard, principal, toPolicyRights("create", body));
			await assertNotFollowed(engine, body.pack);
			return replyJson(toPolicy(await engine.policies.create(toInput(body))), 201);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/policies/:ref",
		summary: "Replace a policy",
		description: "Replaces all fields. Also requires the permission on the packs to which the old and the new policy apply.",
		answers: { 200: answerJson(policySchema), 409: answerConflict },
		permission: "policy_modify",
		resource: findPolicyResource,
		body: policyBody,
		async handler(context) {
			const { engine, guard, principal, body } = context;
			const old = await findPolicy(context);
			const target = toPolicyResource(body);
			// A policy with a new name or pack is another record, which the caller must be permitted to create.
			if (target.uid !== toPolicyResource(old).uid) guard.assert(principal, "policy_create", target);
			assertRequired(guard, principal, [...toPolicyRights("modify", old), ...toPolicyRights("modify", body)]);
			// Change only `enabled`: the policy may be updated concurrently, and a full update would overwrite it with old values.
			if (isSwitchOnly(body, toPolicy(old))) return replyJson(toPolicy(await engine.policies.switch(toRef(context), body.enabled ?? true)));
			await assertNotFollowed(engine, old.pack, body.pack);
			return replyJson(toPolicy(await engine.policies.update(toRef(context), toInput(body))));
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/policies/:ref",
		summary: "Delete a policy",
		answers: { 204: answerNothing() },
		permission: "policy_delete",
		resource: findPolicyResource,
		async handler(context) {
			const { engine, guard, principal } = context;
			const old = await findPolicy(context);
			assertRequired(guard, principal, toPolicyRights("delete", old));
			await assertNotFollowed(engine, old.pack);
			await context.engine.policies.remove(toRef(context));
			return replyNoContent();
		},
	}),
];

type Addressed = Pick<RouteContext<RouteServices>, "engine" | "path">;

/** Returns the ref or id in the path. */
function toRef({ path }: Pick<RouteContext, "path">): string {
	return path["ref"] ?? "";
}

function findPolicy(context: Addressed): Promise<PolicyEntity> {
	return context.engine.policies.get(toRef(context));
}

async function findPolicyResource(context: Addressed): Promise<Resource> {
	return toPolicyResource(await findPolicy(context));
}

function toPolicyResource({ pack, name }: Pick<PolicyEntity, "pack" | "name">): Resource {
	return { uid: `policy:${pack}:${name}`, pack };
}

function findType(context: Pick<RouteContext, "path">): PolicyType {
	const refOrId = toRef(context);
	const found = policyTypes.find(({ id, ref }) => id === refOrId || ref === refOrId);
	if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `policy type "${refOrId}" cannot be found`);
	return found;
}

function toSorted(types: readonly PolicyType[], order: OrderBy<TypeSortField>) {
	const compare = (a: PolicyType, b: PolicyType) => {
		for (const [field, direction] of order) {
			if (a[field] !== b[field]) return a[field] < b[field] === (direction === "asc") ? -1 : 1;
		}
		return 0;
	};
	return [...types].sort(compare);
}

function toInput({ name, pack, resource_ref, policy_type, enabled, parameters, description, metadata_file }: PolicyBody): PolicyInput {
	return {
		...{ name, pack, resource_ref, policy_type },
		...withoutUndefined({ enabled, parameters, description: description ?? undefined, metadata_file: metadata_file ?? undefined }),
	};
}

function toPolicy(policy: PolicyEntity): WireRecord {
	const { id, ref, name, pack, description, enabled, resource_ref, policy_type, parameters, metadata_file } = policy;
	return {
		...{ id, uid: `policy:${pack}:${name}`, ref, name, pack, description, enabled },
		...{ resource_ref, policy_type, parameters, metadata_file: metadata_file ?? "" },
	};
}
