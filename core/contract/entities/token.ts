import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A token, as it is kept: its hash only. */
export interface TokenEntity {
	readonly id: string;
	/** SHA-256 of the token, hex; the token itself is kept nowhere. */
	readonly token_hash: string;
	readonly user: string;
	readonly expiry: string;
	/** Whether it was made for a running action rather than for a person. */
	readonly service: boolean;
	readonly created_at: string;
	readonly metadata: JsonObject;
	/** Whom the provider has vouched for (`Identity.subject`); null: there was none. */
	readonly subject: string | null;
	/** Of the provider (`Identity.session`); null: not known. */
	readonly session: string | null;
}

export const tokenKind: EntityKindDefinition<TokenEntity> = {
	fields: {
		...{ id: "text", token_hash: "text", user: "text", expiry: "text", service: "boolean", created_at: "text", metadata: "json" },
		...{ subject: "text", session: "text" },
	},
	unique: [["token_hash"]],
	indexes: [["expiry"], ["user"]],
	sparseIndexes: { subject: [["subject"]], session: [["session"]] },
};
