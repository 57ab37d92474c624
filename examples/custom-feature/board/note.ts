import type { EntityKindDefinition, ResourceTypeDefinition } from "svc-automation/feature";

/** A note on the board. */
export interface NoteEntity {
	readonly id: string;
	readonly text: string;
	/** Name of the user who posted the note. */
	readonly user: string;
	readonly posted_at: string;
	/** True if the note stays on the board until it is deleted. */
	readonly pinned: boolean;
}

declare module "svc-automation/feature" {
	interface EntityMap {
		note: NoteEntity;
	}
	interface PermissionVerbs {
		note: "list" | "create" | "pin";
	}
}

// Each storage creates the table at its next start.
export const noteKind: EntityKindDefinition<NoteEntity> = {
	fields: { id: "text", text: "text", user: "text", posted_at: "text", pinned: "boolean" },
	indexes: [["posted_at"]],
};

export const notePermissions: ResourceTypeDefinition = { verbs: ["list", "create", "pin"], global: ["create", "pin"] };
