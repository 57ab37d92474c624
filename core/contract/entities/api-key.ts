import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A credential without a mandatory expiry. It carries the permissions of its user, restricted by its scopes. */
export interface ApiKeyEntity {
	readonly id: string;
	/** Salted SHA-512 of the key in hex. The salt is the same on every instance, so that exported keys can be imported elsewhere. */
	readonly key_hash: string;
	readonly user: string;
	readonly enabled: boolean;
	readonly created_at: string;
	/** Time of the last use, accurate to the minute. */
	readonly last_used_at: string | null;
	readonly expires_at: string | null;
	readonly metadata: JsonObject;
	/** `webhook:<url>` and permission types. Null: all permissions of the user. */
	readonly scopes: readonly string[] | null;
}

export const apiKeyKind: EntityKindDefinition<ApiKeyEntity> = {
	fields: {
		id: "text",
		key_hash: "text",
		user: "text",
		enabled: "boolean",
		created_at: "text",
		last_used_at: "text",
		expires_at: "text",
		metadata: "json",
		scopes: "json",
	},
	unique: [["key_hash"]],
	indexes: [["user"]],
};
