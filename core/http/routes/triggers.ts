import type { JsonObject, TriggerTypeEntity } from "../../contract/index.ts";
import type { TriggerInput, TriggerTypeInput } from "../../engine/engine-api.ts";
import { triggerRefs } from "../../engine/triggers/built-in-types.ts";
import { toHookUrl } from "../../engine/webhooks/hook-parameters.ts";
import { defineBody } from "../body.ts";
import { parseIds } from "../execution-filter.ts";
import { pagingQuery, parsePaging } from "../paging.ts";
import { secretsQuery, showsSecrets } from "../present.ts";
import { toTrigger, toTriggerType } from "../reaction-records.ts";
import { replyList, selectionOf } from "../reply-list.ts";
import { replyJson, replyNothing } from "../respond.ts";
import { defineRoute, type RouteContext } from "../route.ts";
import { parseSelection, selectionQuery } from "../selection.ts";
import { parseSort } from "../sort.ts";

const defaultLimit = 100;
const rules = selectionOf(
	["id", "uid", "ref", "name", "pack", "description", "payload_schema", "parameters_schema", "tags", "metadata_file"],
	["id", "ref"],
);
const sortFields = new Map<string, keyof TriggerTypeEntity>([
	["id", "id"],
	["ref", "ref"],
	["pack", "pack"],
	["name", "name"],
]);

const text = { type: "string" };
const object = { type: "object" };
const typeBody = defineBody<TriggerTypeInput>({
	properties: {
		name: text,
		pack: text,
		description: text,
		payload_schema: object,
		parameters_schema: object,
		tags: { type: "array", items: object },
	},
	required: ["name", "pack"],
});
const triggerBody = defineBody<TriggerInput>({
	properties: { name: text, pack: text, type: text, description: text, parameters: object },
	required: ["type"],
});

/** Kinds of events, and their parameters. */
export const triggerRoutes = [
	defineRoute({
		method: "GET",
		path: "/triggertypes",
		component: "api",
		permission: "authenticated",
		query: { ...pagingQuery, ...selectionQuery, id: "string", name: "list", pack: "string", sort: "string" },
		async handler(context) {
			const { id, name, pack, sort } = context.query;
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, rules);
			const filter = {
				...(id !== undefined && { id: parseIds(id) }),
				...(name !== undefined && { name }),
				...(pack !== undefined && { pack }),
			};
			const orderBy = parseSort(sort, sortFields);
			const page = await context.engine.triggers.types.list(filter, { ...paging, ...(orderBy.length > 0 && { orderBy }) });
			return replyList({ ...page, items: page.items.map(toTriggerType) }, paging, selection);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/triggertypes/:ref",
		component: "api",
		permission: "authenticated",
		async handler(context) {
			return replyJson(toTriggerType(await context.engine.triggers.types.get(toRef(context))));
		},
	}),
	defineRoute({
		method: "POST",
		path: "/triggertypes",
		component: "api",
		permission: "authenticated",
		body: typeBody,
		async handler({ engine, body }) {
			return replyJson(toTriggerType(await engine.triggers.types.create(body)), 201);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/triggertypes/:ref",
		component: "api",
		permission: "authenticated",
		body: typeBody,
		async handler(context) {
			return replyJson(toTriggerType(await context.engine.triggers.types.update(toRef(context), context.body)));
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/triggertypes/:ref",
		component: "api",
		permission: "authenticated",
		async handler(context) {
			await context.engine.triggers.types.remove(toRef(context));
			return replyNothing();
		},
	}),
	defineRoute({
		method: "GET",
		path: "/triggers",
		component: "api",
		permission: "authenticated",
		query: { ...secretsQuery, type: "string", pack: "string", name: "list" },
		async handler(context) {
			const { type, pack, name } = context.query;
			const filter = { ...(type !== undefined && { type }), ...(pack !== undefined && { pack }), ...(name !== undefined && { name }) };
			return replyJson(await show(context, await context.engine.triggers.triggers.list(filter)));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/triggers/:ref",
		component: "api",
		permission: "authenticated",
		query: secretsQuery,
		async handler(context) {
			const [record] = await show(context, [await context.engine.triggers.triggers.get(toRef(context))]);
			return replyJson(record);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/triggers",
		component: "api",
		permission: "authenticated",
		query: secretsQuery,
		body: triggerBody,
		async handler(context) {
			assertMayHook(context, "webhook_create", context.body);
			const [record] = await show(context, [await context.engine.triggers.triggers.create(context.body)]);
			return replyJson(record, 201);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/triggers/:ref",
		component: "api",
		permission: "authenticated",
		query: secretsQuery,
		body: triggerBody,
		async handler(context) {
			const { triggers } = context.engine.triggers;
			for (const trigger of [await triggers.get(toRef(context)), context.body]) assertMayHook(context, "webhook_create", trigger);
			const [record] = await show(context, [await triggers.update(toRef(context), context.body)]);
			return replyJson(record);
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/triggers/:ref",
		component: "api",
		permission: "authenticated",
		async handler(context) {
			const { triggers } = context.engine.triggers;
			assertMayHook(context, "webhook_delete", await triggers.get(toRef(context)));
			await triggers.remove(toRef(context));
			return replyNothing();
		},
	}),
];

function toRef({ path }: Pick<RouteContext, "path">): string {
	return path["ref"] ?? "";
}

/** Such a trigger is a webhook: whoever changes it decides what is taken in there, and from whom. */
function assertMayHook(
	{ engine, principal }: Pick<RouteContext, "engine" | "principal">,
	permission: "webhook_create" | "webhook_delete",
	{ type, parameters }: { readonly type: string; readonly parameters?: JsonObject },
): void {
	const url = type === triggerRefs.webhook ? parameters?.["url"] : undefined;
	if (typeof url === "string") engine.access.assert(principal, permission, { uid: `webhook:${toHookUrl(url)}` });
}

async function show(
	context: RouteContext<typeof secretsQuery>,
	triggers: Parameters<RouteContext["engine"]["triggers"]["triggers"]["mask"]>[0],
) {
	const isMasked = context.options.api.mask_secrets && !showsSecrets(context);
	return (isMasked ? await context.engine.triggers.triggers.mask(triggers) : triggers).map(toTrigger);
}
