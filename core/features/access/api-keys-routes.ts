import type { ApiKeyEntity } from "../../contract/index.ts";
import { secretMask } from "../../contract/secret-mask.ts";
import { defineBody } from "../../http/body.ts";
import { answerConflict, answerJson, answerNothing, answerPage } from "../../http/openapi/responses.ts";
import { pagingQuery, parsePaging, toCountHeaders } from "../../http/paging.ts";
import { secretsQuery, showsSecrets } from "../../http/record-visibility.ts";
import { noStoreHeaders, replyJson, replyNoContent } from "../../http/replies.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import type { GuardedResource } from "../../http/route-permission.ts";
import { parseSort } from "../../http/sort.ts";
import type { AccessApi } from "./api.ts";
import type { ApiKeyInput } from "./api-keys.ts";
import { apiKeySchema, newApiKeySchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<Pick<AccessApi, "apiKeys">>();

const defaultLimit = 50;

const text = { type: "string" };
const optionalText = { type: ["string", "null"] };
const properties = {
	id: text,
	uid: text,
	user: optionalText,
	key_hash: text,
	metadata: { type: "object" },
	created_at: text,
	last_used_at: optionalText,
	expires_at: optionalText,
	enabled: { type: "boolean" },
	scopes: { type: ["array", "null"], items: text },
};
/** Body of a change. Clients send the whole record, so `uid` and `last_used_at` are accepted but ignored: only the service sets them. */
type ApiKeyBody = ApiKeyInput & { readonly uid?: string; readonly last_used_at?: string | null };
const keyBody = defineBody<ApiKeyBody>({ properties, closed: true });

const sortFields = new Map((["id", "user", "created_at"] as const).map((name) => [name, name]));

export const apiKeyRoutes = [
	defineRoute({
		method: "GET",
		path: "/apikeys",
		summary: "List API keys",
		description: "Pages of 50 by default. `user` filters the list. `sort=-created_at` lists the newest first.",
		answers: { 200: answerPage(apiKeySchema) },
		permission: "api_key_list",
		query: { ...pagingQuery, ...secretsQuery, user: "string", sort: "string" },
		async handler(context) {
			const paging = parsePaging(context, defaultLimit);
			const { user, sort } = context.query;
			const orderBy = parseSort(sort, sortFields);
			const { items, total } = await context.engine.apiKeys.list({ ...paging, orderBy, ...(user !== undefined && { user }) });
			const isShown = showsSecrets(context);
			return replyJson(
				items.map((entity) => toApiKey(entity, isShown)),
				200,
				toCountHeaders(total, paging),
			);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/apikeys/:key",
		summary: "Get an API key by its id or by the key itself",
		answers: { 200: answerJson(apiKeySchema) },
		permission: "api_key_view",
		resource: findApiKeyResource,
		query: secretsQuery,
		async handler(context) {
			return replyJson(toApiKey(await context.engine.apiKeys.get(toKey(context)), showsSecrets(context)));
		},
	}),
	defineRoute({
		method: "POST",
		path: "/apikeys",
		summary: "Create an API key",
		description: "`{user, metadata, enabled, expires_at, scopes}`. For another user: administrators only.",
		answers: { 201: answerJson(newApiKeySchema, { description: "The key, which is shown only in this response." }), 409: answerConflict },
		permission: "api_key_create",
		body: keyBody,
		async handler({ engine, body, principal }) {
			const { entity, key } = await engine.apiKeys.create(toInput(body), principal);
			const { key_hash: _hash, ...record } = toApiKey(entity, true);
			return replyJson({ ...record, key }, 201, noStoreHeaders);
		},
	}),
	defineRoute({
		method: "PUT",
		path: "/apikeys/:key",
		summary: "Update an API key",
		description: "Omitted fields keep their values.",
		answers: { 200: answerJson(apiKeySchema) },
		permission: "api_key_modify",
		resource: findApiKeyResource,
		query: secretsQuery,
		body: keyBody,
		async handler(context) {
			const changed = await context.engine.apiKeys.update(toKey(context), toInput(context.body), context.principal);
			return replyJson(toApiKey(changed, showsSecrets(context)));
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/apikeys/:key",
		summary: "Delete an API key",
		answers: { 204: answerNothing() },
		permission: "api_key_delete",
		resource: findApiKeyResource,
		async handler(context) {
			await context.engine.apiKeys.remove(toKey(context), context.principal);
			return replyNoContent();
		},
	}),
];

/** Returns the key parameter of the path: the id of a key, or the key itself. */
function toKey({ path }: Pick<RouteContext, "path">): string {
	return path["key"] ?? "";
}

async function findApiKeyResource(context: Pick<RouteContext<Pick<AccessApi, "apiKeys">>, "engine" | "path">): Promise<GuardedResource> {
	const { id, key_hash } = await context.engine.apiKeys.get(toKey(context));
	return { uid: toUid(key_hash), path: { key: id } };
}

function toInput({ uid: _uid, last_used_at: _lastUsed, ...input }: ApiKeyBody): ApiKeyInput {
	return input;
}

function toUid(hash: string): string {
	return `api_key:${hash}`;
}

/** Returns the API record of a key. Hash and uid are masked unless `isShown`: with the hash the key can be loaded on another instance. */
function toApiKey(entity: ApiKeyEntity, isShown: boolean) {
	const { id, user, key_hash, metadata, created_at, enabled, last_used_at, expires_at, scopes } = entity;
	return {
		id,
		uid: isShown ? toUid(key_hash) : secretMask,
		user,
		key_hash: isShown ? key_hash : secretMask,
		metadata,
		created_at,
		enabled,
		last_used_at,
		expires_at,
		scopes,
	};
}
