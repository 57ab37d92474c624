import type { EntityKindDefinition } from "./kind.ts";

/** A datastore item. */
export interface KeyValueEntity {
	readonly id: string;
	readonly scope: "svckv.system" | "svckv.user";
	/** Name of the item; in user scope `<user>:<name>`. */
	readonly name: string;
	/** Owner of the item in user scope. Null in system scope. */
	readonly user: string | null;
	readonly description: string | null;
	readonly secret: boolean;
	/** Time at which the item expires. An expired item is treated as absent. */
	readonly expire_timestamp: string | null;
	readonly updated_at: string;
	/** The value; a ciphertext if `secret` is true. */
	readonly value: string;
}

export const keyValueKind: EntityKindDefinition<KeyValueEntity> = {
	fields: {
		id: "text",
		scope: "text",
		name: "text",
		user: "text",
		description: "text",
		secret: "boolean",
		expire_timestamp: "text",
		updated_at: "text",
		value: "text",
	},
	unique: [["scope", "name"]],
	sparseIndexes: { expire_timestamp: [["expire_timestamp"]] },
};
