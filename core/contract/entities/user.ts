import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A user who has signed in. */
export interface UserEntity {
	readonly id: string;
	readonly name: string;
	readonly is_service: boolean;
	readonly created_at: string;
	readonly nicknames: JsonObject;
	/** Subject that owns the name (`Identity.subject`). Null: the user to whom the backend assigns this name. */
	readonly subject: string | null;
}

export const userKind: EntityKindDefinition<UserEntity> = {
	fields: { id: "text", name: "text", is_service: "boolean", created_at: "text", nicknames: "json", subject: "text" },
	unique: [["name"]],
};
