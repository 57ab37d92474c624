import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A token. Only its hash is stored. */
export interface TokenEntity {
	readonly id: string;
	/** SHA-256 of the token in hex. The token itself is never stored. */
	readonly token_hash: string;
	readonly user: string;
	readonly expiry: string;
	/** True if the service created the token for a process that it runs, such as a sensor. False if a user signed in. */
	readonly service: boolean;
	readonly created_at: string;
	readonly metadata: JsonObject;
	/** Subject of the sign-in (`Identity.subject`). Null if there was none. */
	readonly subject: string | null;
	/** Session at the provider (`Identity.session`). Null if it is unknown. */
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
