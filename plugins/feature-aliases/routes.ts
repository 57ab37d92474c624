import type { JsonObject, JsonValue } from "../../core/contract/index.ts";
import {
	answerConflict,
	answerJson,
	answerNothing,
	answerSelectedPage,
	assertNotFollowed,
	assertRequired,
	createRouteDeclarations,
	defineBody,
	isSwitchOnly,
	pagingQuery,
	parseIds,
	parsePaging,
	parseSelection,
	parseSort,
	type Reply,
	type Resource,
	type RouteContext,
	replyJson,
	replyList,
	replyNoContent,
	secretsQuery,
	selectionQuery,
	selectionRulesOf,
	showsSecrets,
} from "../../core/feature.ts";
import { toFormat } from "./alias-file.ts";
import { toAliasRights } from "./alias-rights.ts";
import type { AliasInput } from "./aliases-exports.ts";
import type { ActionAliasEntity } from "./entities.ts";
import { toAlias, toAliasResource, toMatch } from "./records.ts";
import type { AliasRouteServices } from "./route-services.ts";
import { aliasHelpSchema, aliasMatchSchema, aliasPart, aliasSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<AliasRouteServices>();

const defaultLimit = 100;
const aliasSelection = selectionRulesOf(
	[
		...["id", "uid", "ref", "name", "pack", "description", "enabled", "action_ref", "formats", "ack", "result", "extra"],
		...["immutable_parameters", "metadata_file", "author"],
	],
	["id", "ref"],
);
const sortFields = new Map<string, keyof ActionAliasEntity>([
	["id", "id"],
	["name", "name"],
	["pack", "pack"],
]);

const text = { type: "string" };
const flag = { type: ["boolean", "null"] };
const optionalText = { type: ["string", "null"] };
const optionalObject = { type: ["object", "null"] };
const resultProperties = { enabled: flag, format: optionalText, extra: optionalObject };
const format = {
	type: ["string", "object"],
	properties: { display: optionalText, representation: { type: ["string", "array", "null"], items: text }, match_multiple: flag },
	additionalProperties: false,
};

type AliasBody = Omit<AliasInput, "formats"> & { readonly formats: readonly JsonValue[] };
/** Body of an alias. Accepts the members that the service sets, so that clients can send back a record that they have read. */
const aliasBody = defineBody<AliasBody>({
	properties: {
		id: text,
		uid: text,
		ref: text,
		name: { ...text, minLength: 1 },
		pack: text,
		description: optionalText,
		enabled: flag,
		action_ref: text,
		formats: { type: "array", items: format },
		ack: { ...optionalObject, properties: { ...resultProperties, append_url: flag }, additionalProperties: false },
		result: { ...optionalObject, properties: resultProperties, additionalProperties: false },
		extra: optionalObject,
		immutable_parameters: optionalObject,
		metadata_file: optionalText,
		author: optionalText,
	},
	required: ["name", "action_ref", "formats"],
	closed: true,
});
const matchBody = defineBody<{ readonly command: string }>({ properties: { command: text }, required: ["command"], closed: true });

/** Routes for action aliases. */
export const aliasRoutes = [
	defineRoute({
		method: "GET",
		path: "/actionalias",
		summary: "List action aliases, by pack and name",
		answers: { 200: answerSelectedPage(aliasSchema, aliasPart) },
		permission: "action_alias_list",
		query: { ...pagingQuery, ...selectionQuery, ...secretsQuery, id: "string", name: "list", pack: "string", sort: "string" },
		async handler(context) {
			const { id, name, pack, sort } = context.query;
			const paging = parsePaging(context, defaultLimit);
			const selection = parseSelection(context.query, aliasSelection);
			const orderBy = parseSort(sort, sortFields);
			const page = await context.engine.aliases.list(
				{
					...(id !== undefined && { id: parseIds(id) }),
					...(name !== undefined && { name }),
					...(pack !== undefined && { pack }),
				},
				{ ...paging, ...(orderBy.length > 0 && { orderBy }) },
			);
			const shown = await toShownAliases(context, page.items);
			return replyList({ ...page, items: shown.map(toAlias) }, paging, selection);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/actionalias/match",
		summary: "Find the action alias that matches a command",
		description: "400 if no action alias matches, or several match.",
		answers: { 200: answerJson(aliasMatchSchema) },
		permission: "action_alias_match",
		body: matchBody,
		query: secretsQuery,
		async handler(context) {
			const match = await context.engine.aliases.match(context.body.command);
			const [shown = match.alias] = await toShownAliases(context, [match.alias]);
			return replyJson(toMatch(match, shown));
		},
	}),
	defineRoute({
		method: "GET",
		path: "/actionalias/help",
		summary: "List the commands of action aliases",
		description: "Only of enabled action aliases. `filter`: regular expression for the displayed text; `available`: number of all matches.",
		answers: { 200: answerJson(aliasHelpSchema) },
		permission: "action_alias_help",
		query: { ...pagingQuery, pack: "string", filter: "string" },
		async handler(context) {
			const { pack, filter } = context.query;
			const { items, total } = await context.engine.aliases.help({ ...parsePaging(context, defaultLimit), pack, filter });
			return replyJson({ available: total, helpstrings: items });
		},
	}),
	defineRoute({
		method: "GET",
		path: "/actionalias/:ref",
		summary: "Get an action alias",
		answers: { 200: answerJson(aliasSchema) },
		permission: "action_alias_view",
		resource: findAliasResource,
		query: secretsQuery,
		async handler(context) {
			return replyAlias(context, await context.engine.aliases.get(toRef(context)));
		},
	}),
	defineRoute({
		method: "POST",
		path: "/actionalias",
		summary: "Create an action alias",
		description: "Also requires `action_execute` on its action.",
		answers: { 201: answerJson(aliasSchema), 409: answerConflict },
		permission: "action_alias_create",
		resource: ({ body }) => toAliasResource({ pack: "default", ...body }),
		query: secretsQuery,
		body: aliasBody,
		async handler(context) {
			const { engine, guard, principal, body } = context;
			assertRequired(guard, principal, toAliasRights(body));
			await assertNotFollowed(engine, body.pack ?? "default");
			return replyAlias(context, await engine.aliases.create(toInput(body), principal), 201);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/actionalias/:ref",
		summary: "Replace an action alias",
		description: "Replaces all fields. Also requires `action_execute` on its action, unless only `enabled` changes.",
		answers: { 200: answerJson(aliasSchema), 409: answerConflict },
		permission: "action_alias_modify",
		resource: findAliasResource,
		query: secretsQuery,
		body: aliasBody,
		async handler(context) {
			const { engine, guard, principal, body } = context;
			const old = await engine.aliases.get(toRef(context));
			const target = toAliasResource({ pack: old.pack, ...body });
			// A new name or pack makes the alias another resource, which requires the permission to create an alias.
			if (target.uid !== toAliasResource(old).uid) guard.assert(principal, "action_alias_create", target);
			const [shown = old] = await toShownAliases(context, [old]);
			// Update `enabled` only. Another update may happen at the same time, and must not be overwritten with values that were read
			// before it.
			const withoutAuthor = (alias: object) => ({ ...alias, author: undefined });
			if (isSwitchOnly(withoutAuthor(body), withoutAuthor(toAlias(shown))))
				return replyAlias(context, await engine.aliases.switch(toRef(context), body.enabled ?? true));
			assertRequired(guard, principal, toAliasRights(body));
			await assertNotFollowed(engine, old.pack, body.pack ?? old.pack);
			return replyAlias(context, await engine.aliases.update(toRef(context), toInput(body), principal));
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/actionalias/:ref",
		summary: "Delete an action alias",
		answers: { 204: answerNothing() },
		permission: "action_alias_delete",
		resource: findAliasResource,
		async handler(context) {
			const { engine } = context;
			await assertNotFollowed(engine, (await engine.aliases.get(toRef(context))).pack);
			await engine.aliases.remove(toRef(context));
			return replyNoContent();
		},
	}),
];

/** Returns the aliases, with secrets masked unless the caller requests and may view them. */
export async function toShownAliases(
	context: RouteContext<AliasRouteServices, typeof secretsQuery>,
	aliases: readonly ActionAliasEntity[],
): Promise<readonly ActionAliasEntity[]> {
	const isMasked = context.options.api.mask_secrets && !showsSecrets(context);
	return isMasked ? context.engine.aliases.mask(aliases) : aliases;
}

async function replyAlias(
	context: RouteContext<AliasRouteServices, typeof secretsQuery>,
	alias: ActionAliasEntity,
	status = 200,
): Promise<Reply> {
	const [shown = alias] = await toShownAliases(context, [alias]);
	return replyJson(toAlias(shown), status);
}

/** Returns the ref or id from the path. */
function toRef({ path }: Pick<RouteContext, "path">): string {
	return path["ref"] ?? "";
}

async function findAliasResource(context: Pick<RouteContext<AliasRouteServices>, "engine" | "path">): Promise<Resource> {
	return toAliasResource(await context.engine.aliases.get(toRef(context)));
}

function toInput({ name, pack, action_ref, formats, ...rest }: AliasBody): AliasInput {
	const { description, enabled, ack, result, extra, immutable_parameters, metadata_file } = rest;
	const given = { description, enabled, extra, immutable_parameters, metadata_file };
	return {
		...{ name, action_ref, formats: formats.map(toFormat) },
		...(pack !== undefined && { pack }),
		...(ack != null && { ack: withoutNull(ack) }),
		...(result != null && { result: withoutNull(result) }),
		...withoutNull(given as JsonObject),
	};
}

/** Removes null members. Null means the same as a missing member. */
function withoutNull<T extends object>(values: T): T {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined)) as T;
}
