import type { TriggerEntity, TriggerTypeEntity } from "../../contract/index.ts";
import { defineBody } from "../../http/body.ts";
import { parseSelection, selectionQuery } from "../../http/field-selection.ts";
import { answerConflict, answerJson, answerNothing, answerPage, answerSelectedPage, answerTooMany } from "../../http/openapi/responses.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import { secretsQuery, showsSecrets } from "../../http/record-visibility.ts";
import { replyJson, replyNoContent } from "../../http/replies.ts";
import { replyList, selectionRulesOf } from "../../http/reply-list.ts";
import { replyRecords } from "../../http/reply-records.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { parseSort } from "../../http/sort.ts";
import { splitRef } from "../../kernel/basics/refs.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { assertRequired } from "../access/required-permissions-exports.ts";
import { assertNotFollowed, type FollowedDependencies } from "../packs/followed-pack-guard-exports.ts";
import type { TriggersFeatureApi } from "./api.ts";
import { toCreationPermissions } from "./required-trigger-permissions-exports.ts";
import { triggerSchema, triggerTypePart, triggerTypeSchema } from "./schemas-exports.ts";
import { toTrigger, toTriggerType } from "./trigger-records-exports.ts";
import { toTriggerResource, toTriggerTypeResource } from "./trigger-resources.ts";
import type { TriggerInput, TriggerTypeInput } from "./triggers-exports.ts";

const { defineRoute } = createRouteDeclarations<TriggersFeatureApi & FollowedDependencies>();

const defaultLimit = 100;
const rules = selectionRulesOf(
	["id", "uid", "ref", "name", "pack", "description", "payload_schema", "parameters_schema", "tags", "metadata_file"],
	["id", "ref"],
);
const sortFields = new Map<string, keyof TriggerTypeEntity>((["id", "ref", "pack", "name"] as const).map((name) => [name, name]));

const text = { type: "string" };
const object = { type: "object" };
const typeBody = defineBody<TriggerTypeInput>({
	properties: {
		name: text,
		pack: text,
		description: text,
		payload_schema: object,
		parameters_schema: object,
		tags: { type: "array", items: object, maxItems: 1_000 },
	},
	required: ["name", "pack"],
});
const triggerBody = defineBody<TriggerInput>({
	properties: { name: text, pack: text, type: text, description: text, parameters: object },
	required: ["type"],
});

/** Routes for trigger types and triggers. */
export const triggerRoutes = [
	defineRoute({
		method: "GET",
		path: "/triggertypes",
		summary: "List trigger types",
		answers: { 200: answerSelectedPage(triggerTypeSchema, triggerTypePart) },
		permission: "trigger_type_list",
		query: { ...pagingQuery, ...selectionQuery, id: "string", name: "list", pack: "string", sort: "string" },
		async handler(context) {
			const { id, name, pack, sort } = context.query;
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, rules);
			const filter = { ...(id !== undefined && { id: parseIds(id) }), ...withoutUndefined({ name, pack }) };
			const orderBy = parseSort(sort, sortFields);
			const page = await context.engine.triggers.types.list(filter, { ...paging, ...(orderBy.length > 0 && { orderBy }) });
			return replyList({ ...page, items: page.items.map(toTriggerType) }, paging, selection);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/triggertypes/:ref",
		summary: "Get a trigger type",
		answers: { 200: answerJson(triggerTypeSchema) },
		permission: "trigger_type_view",
		resource: findTypeResource,
		async handler(context) {
			return replyJson(toTriggerType(await context.engine.triggers.types.get(toRef(context))));
		},
	}),
	defineRoute({
		method: "POST",
		path: "/triggertypes",
		summary: "Create a trigger type",
		answers: { 201: answerJson(triggerTypeSchema), 409: answerConflict },
		permission: "trigger_type_create",
		resource: ({ body }) => toTriggerTypeResource(body),
		body: typeBody,
		async handler({ engine, body }) {
			await assertNotFollowed(engine, body.pack);
			return replyJson(toTriggerType(await engine.triggers.types.create(body)), 201);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/triggertypes/:ref",
		summary: "Replace a trigger type",
		description: "Trigger types of the pack `core` cannot be changed.",
		answers: { 200: answerJson(triggerTypeSchema), 409: answerConflict },
		permission: "trigger_type_modify",
		resource: findTypeResource,
		body: typeBody,
		async handler(context) {
			const { engine, body } = context;
			const { types } = engine.triggers;
			await assertNotFollowed(engine, (await types.get(toRef(context))).pack, body.pack);
			return replyJson(toTriggerType(await types.update(toRef(context), body)));
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/triggertypes/:ref",
		summary: "Delete a trigger type",
		description: "Trigger types of the pack `core` cannot be removed.",
		answers: { 204: answerNothing() },
		permission: "trigger_type_delete",
		resource: findTypeResource,
		async handler(context) {
			const { engine } = context;
			const { types } = engine.triggers;
			await assertNotFollowed(engine, (await types.get(toRef(context))).pack);
			await types.remove(toRef(context));
			return replyNoContent();
		},
	}),
	defineRoute({
		method: "GET",
		path: "/triggers",
		summary: "List triggers",
		description: "Returns all triggers unless `limit` is given.",
		answers: { 200: answerPage(triggerSchema), 429: answerTooMany },
		permission: "trigger_list",
		query: { ...secretsQuery, ...pagingQuery, type: "string", pack: "string", name: "list" },
		async handler(context) {
			const { type, pack, name } = context.query;
			const triggers = await context.engine.triggers.triggers.list(withoutUndefined({ type, pack, name }));
			return replyRecords(context, parsePaging(context), triggers, (part) => show(context, part));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/triggers/:ref",
		summary: "Get a trigger",
		answers: { 200: answerJson(triggerSchema) },
		permission: "trigger_view",
		resource: (context) => findTriggerResource("view", context),
		query: secretsQuery,
		async handler(context) {
			const [record] = await show(context, [await context.engine.triggers.triggers.get(toRef(context))]);
			return replyJson(record);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/triggers",
		summary: "Create a trigger",
		description: "Returns the existing trigger if one has the same pack and name, or the same type and parameters.",
		answers: { 201: answerJson(triggerSchema) },
		permission: "trigger_create",
		resource: ({ engine, body }) => toTriggerResource("create", withOwnType(engine, body)),
		query: secretsQuery,
		body: triggerBody,
		async handler(context) {
			const { engine, body } = context;
			const own = withOwnType(engine, body);
			assertMayMake(context, { pack: splitRef(own.type).pack, name: "", ...own });
			const [record] = await show(context, [await engine.triggers.triggers.create(body)]);
			return replyJson(record, 201);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/triggers/:ref",
		summary: "Replace a trigger",
		answers: { 200: answerJson(triggerSchema), 409: answerConflict },
		permission: "trigger_modify",
		resource: (context) => findTriggerResource("modify", context),
		query: secretsQuery,
		body: triggerBody,
		async handler(context) {
			const { engine, principal } = context;
			const body = withOwnType(engine, context.body);
			const { triggers } = engine.triggers;
			const old = await triggers.get(toRef(context));
			assertMayBecome(context, old, body);
			assertMayMake(context, { pack: old.pack, name: old.name, ...body });
			const [record] = await show(context, [await triggers.update(toRef(context), body, principal)]);
			return replyJson(record);
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/triggers/:ref",
		summary: "Delete a trigger",
		answers: { 204: answerNothing() },
		permission: "trigger_delete",
		resource: (context) => findTriggerResource("delete", context),
		async handler(context) {
			await context.engine.triggers.triggers.remove(toRef(context));
			return replyNoContent();
		},
	}),
];

function toRef({ path }: Pick<RouteContext, "path">): string {
	return path["ref"] ?? "";
}

async function findTypeResource(context: Pick<RouteContext<TriggersFeatureApi>, "engine" | "path">) {
	return toTriggerTypeResource(await context.engine.triggers.types.get(toRef(context)));
}

async function findTriggerResource(verb: "view" | "modify" | "delete", context: Pick<RouteContext<TriggersFeatureApi>, "engine" | "path">) {
	return toTriggerResource(verb, await context.engine.triggers.triggers.get(toRef(context)));
}

/** Returns the input with the service's own ref of its type instead of a dialect's, because permissions depend on the type. */
function withOwnType({ triggers }: TriggersFeatureApi, input: TriggerInput): TriggerInput {
	return { ...input, type: triggers.types.refOf(input.type) };
}

/** Checks the permission to create the changed trigger if its name, type or URL changes, because it is then another resource. */
function assertMayBecome({ guard, principal }: Pick<RouteContext, "guard" | "principal">, old: TriggerEntity, input: TriggerInput): void {
	const { permission, ...target } = toTriggerResource("create", { pack: old.pack, name: old.name, ...input });
	const before = toTriggerResource("create", old);
	if (target.uid === before.uid && permission === before.permission) return;
	guard.assert(principal, permission, target);
}

function assertMayMake(
	{ guard, principal }: Pick<RouteContext, "guard" | "principal">,
	trigger: Parameters<typeof toCreationPermissions>[0],
): void {
	assertRequired(guard, principal, toCreationPermissions(trigger));
}

async function show(
	context: RouteContext<TriggersFeatureApi, typeof secretsQuery>,
	triggers: Parameters<TriggersFeatureApi["triggers"]["triggers"]["mask"]>[0],
) {
	const isMasked = context.options.api.mask_secrets && !showsSecrets(context);
	return (isMasked ? await context.engine.triggers.triggers.mask(triggers) : triggers).map(toTrigger);
}
