import { apiKeyKind } from "../../contract/entities/api-key.ts";
import {
	arrayOf,
	booleanSchema,
	defineSchema,
	fieldsOf,
	jsonObject,
	mapOf,
	nullable,
	objectSchema,
	stringSchema,
	timestamp,
} from "../../http/openapi/schema-builders.ts";

const keyMembers = {
	...fieldsOf(apiKeyKind, ["id", "user", "created_at", "enabled", "metadata"]),
	uid: stringSchema,
	last_used_at: nullable(timestamp),
	expires_at: nullable(timestamp),
	scopes: nullable(arrayOf(stringSchema)),
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
export const apiKeySchema = defineSchema("ApiKey", objectSchema({ ...keyMembers, key_hash: stringSchema }), {
	...keyExample,
	key_hash: "********",
});

/** Schema of a new API key. The key is returned only in this response; it is null if the key was loaded by its hash. */
export const newApiKeySchema = defineSchema("NewApiKey", objectSchema({ ...keyMembers, key: nullable(stringSchema) }), {
	...keyExample,
	uid: "api_key:1f40",
	key: "ZmFrZQ",
});

/** Schema of the descriptions of the permission types of a resource type. */
export const permissionTypesSchema = mapOf(stringSchema);

const grantSchema = objectSchema({
	id: stringSchema,
	resource_uid: nullable(stringSchema),
	resource_type: nullable(stringSchema),
	permission_types: arrayOf(stringSchema),
});

export const roleSchema = defineSchema(
	"Role",
	objectSchema({
		...{ id: stringSchema, name: stringSchema, description: stringSchema, system: booleanSchema },
		...{
			permission_grants: arrayOf(stringSchema),
			permission_grant_ids: arrayOf(stringSchema),
			permission_grant_objects: arrayOf(grantSchema),
		},
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

export const assignmentSchema = defineSchema(
	"RoleAssignment",
	objectSchema({
		id: stringSchema,
		user: stringSchema,
		role: stringSchema,
		description: stringSchema,
		is_remote: booleanSchema,
		source: stringSchema,
	}),
	{ id: "66a1e0019d3e4b7a51c000b1", user: "maria", role: "admin", description: "", is_remote: false, source: "configuration" },
);

/** Schema of a new token. The token is returned only in this response. */
export const tokenSchema = defineSchema(
	"Token",
	objectSchema({
		id: stringSchema,
		user: stringSchema,
		token: stringSchema,
		expiry: timestamp,
		metadata: jsonObject,
		service: booleanSchema,
	}),
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
export const validitySchema = objectSchema({ valid: booleanSchema });

export const userSchema = defineSchema(
	"User",
	objectSchema(
		{
			username: stringSchema,
			authentication: objectSchema({ method: stringSchema, location: stringSchema, token_expire: stringSchema }, [
				"location",
				"token_expire",
			]),
			rbac: objectSchema(
				{ enabled: booleanSchema, roles: arrayOf(stringSchema), is_admin: booleanSchema, permissions: mapOf(arrayOf(stringSchema)) },
				["permissions"],
			),
			page_entries: arrayOf(
				objectSchema({
					...{ title: stringSchema, group: stringSchema, path: stringSchema, is_paged: booleanSchema },
					columns: arrayOf(objectSchema({ member: stringSchema, title: stringSchema })),
				}),
			),
		},
		["page_entries"],
	),
	{
		username: "maria",
		authentication: { method: "authentication token", location: "header", token_expire: "2031-03-05T09:15:02Z" },
		rbac: { enabled: true, roles: ["admin"], is_admin: true },
	},
);
