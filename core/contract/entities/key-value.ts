import type { EntityKindDefinition } from "./kind.ts";

/** A datastore item. */
export interface KeyValueEntity {
	readonly id: string;
	readonly scope: "svckv.system" | "svckv.user";
	/** In user scope `<user>:<name>`. */
	readonly name: string;
	/** Whose it is, in user scope. */
	readonly user: string | null;
	readonly description: string | null;
	readonly secret: boolean;
	/** An item past it counts as absent. */
	readonly expire_timestamp: string | null;
	readonly updated_at: string;
	/** Cipher text when `secret`. */
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
