import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A credential that does not expire by itself. It carries the permissions of its user, narrowed by its scopes. */
export interface ApiKeyEntity {
	readonly id: string;
	/** Salted SHA-512 of the key, hex; the same on every instance, so that exported keys can be loaded elsewhere. */
	readonly key_hash: string;
	readonly user: string;
	readonly enabled: boolean;
	readonly created_at: string;
	/** Kept to the minute. */
	readonly last_used_at: string | null;
	readonly expires_at: string | null;
	readonly metadata: JsonObject;
	/** `webhook:<url>` and permission types; null: everything the user may do. */
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
