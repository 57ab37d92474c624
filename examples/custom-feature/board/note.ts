import type { EntityKindDefinition, ResourceTypeDefinition } from "svc-automation/feature";

/** A note on the board. */
export interface NoteEntity {
	readonly id: string;
	readonly text: string;
	/** User who has posted it. */
	readonly user: string;
	readonly posted_at: string;
}

declare module "svc-automation/feature" {
	interface EntityMap {
		note: NoteEntity;
	}
	interface PermissionVerbs {
		note: "list" | "view" | "create";
	}
}

// Each storage creates the table at its next start.
export const noteKind: EntityKindDefinition<NoteEntity> = {
	fields: { id: "text", text: "text", user: "text", posted_at: "text" },
	indexes: [["posted_at"]],
};

export const notePermissions: ResourceTypeDefinition = { verbs: ["list", "view", "create"], global: ["create"] };
