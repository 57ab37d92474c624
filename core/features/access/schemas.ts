import { apiKeyKind } from "../../contract/entities/api-key.ts";
import { arrayOf, defineSchema, fieldsOf, flag, jsonObject, mapOf, nullable, object, text, timestamp } from "../../http/openapi/schema.ts";

const keyMembers = {
	...fieldsOf(apiKeyKind, ["id", "user", "created_at", "enabled", "metadata"]),
	uid: text,
	last_used_at: nullable(timestamp),
	expires_at: nullable(timestamp),
	scopes: nullable(arrayOf(text)),
};
const keyExample = {
	id: "66a1e0019d3e4b7a51c000a0",
	uid: "********",
	user: "maria",
	metadata: { used_by: "billing" },
	created_at: "2031-03-04T09:15:02.418273Z",
	enabled: true,
	last_used_at: null,
	expires_at: null,
	scopes: null,
};

/** Schema of an API key in the API, without the key itself. */
export const apiKeySchema = defineSchema("ApiKey", object({ ...keyMembers, key_hash: text }), { ...keyExample, key_hash: "********" });

/** Schema of a new API key. The key is returned only in this response; it is null if the key was loaded by its hash. */
export const newApiKeySchema = defineSchema("NewApiKey", object({ ...keyMembers, key: nullable(text) }), {
	...keyExample,
	uid: "api_key:1f40",
	key: "ZmFrZQ",
});

/** Schema of the descriptions of the permission types of a resource type. */
export const permissionTypesSchema = mapOf(text);

const grantSchema = object({ id: text, resource_uid: nullable(text), resource_type: nullable(text), permission_types: arrayOf(text) });

/** Schema of a role in the API. */
export const roleSchema = defineSchema(
	"Role",
	object({
		...{ id: text, name: text, description: text, system: flag },
		...{ permission_grants: arrayOf(text), permission_grant_ids: arrayOf(text), permission_grant_objects: arrayOf(grantSchema) },
	}),
	{
		id: "66a1e0019d3e4b7a51c000b0",
		name: "admin",
		description: "Everything.",
		system: true,
		permission_grants: [],
		permission_grant_ids: [],
		permission_grant_objects: [],
	},
);

/** Schema of a role assignment in the API. */
export const assignmentSchema = defineSchema(
	"RoleAssignment",
	object({ id: text, user: text, role: text, description: text, is_remote: flag, source: text }),
	{ id: "66a1e0019d3e4b7a51c000b1", user: "maria", role: "admin", description: "", is_remote: false, source: "configuration" },
);

/** Schema of a new token. The token is returned only in this response. */
export const tokenSchema = defineSchema(
	"Token",
	object({ id: text, user: text, token: text, expiry: timestamp, metadata: jsonObject, service: flag }),
	{
		id: "66a1e0019d3e4b7a51c000c0",
		user: "maria",
		token: "0123456789abcdef0123456789abcdef",
		expiry: "2031-03-05T09:15:02.418273Z",
		metadata: {},
		service: false,
	},
);

/** Schema of the response that contains whether a token is valid. */
export const validitySchema = object({ valid: flag });

/** Schema of the authenticated user in the API. */
export const userSchema = defineSchema(
	"User",
	object({
		username: text,
		authentication: object({ method: text, location: text, token_expire: text }, ["location", "token_expire"]),
		rbac: object({ enabled: flag, roles: arrayOf(text), is_admin: flag, permissions: mapOf(arrayOf(text)) }, ["permissions"]),
	}),
	{
		username: "maria",
		authentication: { method: "authentication token", location: "header", token_expire: "2031-03-05T09:15:02Z" },
		rbac: { enabled: true, roles: ["admin"], is_admin: true },
	},
);
