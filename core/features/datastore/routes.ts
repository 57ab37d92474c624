import { keyValueKind } from "../../contract/entities/key-value.ts";
import { defineBody } from "../../http/body.ts";
import { answerConflict, answerJson, answerNothing, describeList } from "../../http/openapi/responses.ts";
import {
	arrayOf,
	booleanSchema,
	defineSchema,
	fieldsOf,
	integerSchema,
	objectSchema,
	stringSchema,
} from "../../http/openapi/schema-builders.ts";
import { pagingQuery, parsePaging } from "../../http/paging.ts";
import { parseIds } from "../../http/parse-ids.ts";
import type { QueryValues } from "../../http/query.ts";
import { secretsQuery, showsSecrets } from "../../http/record-visibility.ts";
import { noStoreHeaders, replyJson, replyNoContent } from "../../http/replies.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { parseSort } from "../../http/sort.ts";
import type { Resource } from "../../kernel/basics/refs.ts";
import type { DatastoreApi } from "./api.ts";
import type { ItemInput } from "./items-exports.ts";

const optional = ["user", "description", "expire_timestamp"] as const;

const itemSchema = defineSchema(
	"KeyValuePair",
	objectSchema(
		{ ...fieldsOf(keyValueKind, ["id", "name", "value", "secret", "scope", ...optional]), uid: stringSchema, encrypted: booleanSchema },
		optional,
	),
	{
		id: "66a1e0019d3e4b7a51c000d0",
		uid: "key_value_pair:svckv.system:limit",
		name: "limit",
		value: "90",
		secret: false,
		encrypted: false,
		scope: "svckv.system",
	},
);

const rotationSchema = defineSchema(
	"Rotation",
	objectSchema({
		key_id: stringSchema,
		added: booleanSchema,
		reencrypted: integerSchema,
		unreadable: integerSchema,
		forgotten: arrayOf(stringSchema),
	}),
	{ key_id: "3f2a", added: true, reencrypted: 12, unreadable: 0, forgotten: [] },
);

const { defineRoute } = createRouteDeclarations<DatastoreApi>();

const defaultLimit = 100;

const whereQuery = { scope: "string", user: "string" } as const;
const formQuery = { decrypt: "boolean", ...secretsQuery } as const;

const optionalText = { type: ["string", "null"] };
const bodyFlag = { type: "boolean" };
/** Body of an item. Other members are allowed, because clients send back whole records with members that only the service sets. */
const itemBody = defineBody<ItemInput>({
	properties: {
		value: { description: "A string. Other values except null are stored as their JSON text." },
		description: optionalText,
		scope: { type: "string" },
		user: optionalText,
		secret: bodyFlag,
		encrypted: bodyFlag,
		ttl: { type: ["integer", "null"] },
	},
	required: ["value"],
});
const rotationBody = defineBody<{ readonly forget?: boolean }>({ properties: { forget: bodyFlag }, closed: true });

const sortFields = new Map((["id", "name", "scope", "user"] as const).map((name) => [name, name]));

type Asked = Pick<RouteContext<DatastoreApi>, "engine" | "path" | "principal"> & { readonly query: QueryValues<typeof whereQuery> };

/** Returns the resource of the item in the path. Permissions are checked whether or not the item exists. */
function toResource({ engine, path, query, principal }: Asked): Resource {
	return engine.datastore.resource(path["name"] ?? "", query, principal);
}

export const keyRoutes = [
	defineRoute({
		method: "GET",
		path: "/keys",
		summary: "List datastore items",
		description: "Without count headers.",
		answers: { 200: describeList(itemSchema) },
		permission: "key_value_pair_list",
		// A list contains only the system items that the caller may view. The caller's own items need no permission.
		resource: (context) => context.engine.datastore.resource("*", context.query, context.principal),
		query: { ...pagingQuery, ...whereQuery, ...formQuery, prefix: "string", name: "list", id: "string", sort: "string" },
		async handler(context) {
			const { query, engine, principal } = context;
			const { scope, user, prefix, name: names, id } = query;
			const ids = id === undefined ? undefined : parseIds(id);
			const paging = parsePaging(context, defaultLimit);
			const orderBy = parseSort(query.sort, sortFields);
			const form = toForm(context);
			const items = await engine.datastore.list({ scope, user, prefix, names, ids, orderBy, ...paging, form }, principal);
			return replyJson(items, 200, form === "masked" ? {} : noStoreHeaders);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/keys/:name",
		summary: "Get a datastore item",
		answers: { 200: answerJson(itemSchema) },
		permission: "key_value_pair_view",
		resource: (context) => toResource(context),
		query: { ...whereQuery, ...formQuery },
		async handler(context) {
			const { engine, path, query, principal } = context;
			const { scope, user } = query;
			const form = toForm(context);
			const item = await engine.datastore.get(path["name"] ?? "", { scope, user, form }, principal);
			return replyJson(item, 200, form === "masked" ? {} : noStoreHeaders);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/keys/:name",
		summary: "Store a datastore item",
		description: "Creates or replaces the item.",
		answers: { 200: answerJson(itemSchema), 404: undefined, 409: answerConflict },
		permission: "key_value_pair_set",
		resource: ({ engine, path, body, principal }) => engine.datastore.resource(path["name"] ?? "", body, principal),
		body: itemBody,
		async handler({ engine, path, body, principal }) {
			return replyJson(await engine.datastore.set(path["name"] ?? "", body, principal));
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/keys/:name",
		summary: "Delete a datastore item",
		answers: { 204: answerNothing(), 409: answerConflict },
		permission: "key_value_pair_delete",
		resource: (context) => toResource(context),
		query: whereQuery,
		async handler({ engine, path, query, principal }) {
			await engine.datastore.remove(path["name"] ?? "", query, principal);
			return replyNoContent();
		},
	}),
	defineRoute({
		method: "POST",
		path: "/keys/rotate",
		summary: "Encrypt all secrets with a new key",
		description: 'For administrators. `{"forget": true}` removes keys that are no longer used.',
		answers: { 200: answerJson(rotationSchema), 409: answerConflict },
		permission: "admin",
		body: rotationBody,
		async handler({ engine, body, principal }) {
			return replyJson(await engine.datastore.rotate(body, principal));
		},
	}),
];

/**
 * Returns the form of secret values: decrypted if the client requests it, otherwise masked. If an administrator requests secrets or
 * `api.mask_secrets` is off, they are returned as ciphertext, for import into another instance.
 */
function toForm(context: RouteContext<DatastoreApi, typeof formQuery>) {
	if (context.query.decrypt === true) return "decrypted";
	return showsSecrets(context) || !context.options.api.mask_secrets ? "stored" : "masked";
}
