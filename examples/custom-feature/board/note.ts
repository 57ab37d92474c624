import { defineKind, definePermissions, type EntityKindDefinition } from "svc-automation/feature";

/** What somebody has put on the board. */
export interface NoteEntity {
	readonly id: string;
	readonly text: string;
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

export const noteKind: EntityKindDefinition<NoteEntity> = {
	fields: { id: "text", text: "text", user: "text", posted_at: "text" },
	indexes: [["posted_at"]],
};
// Storages make the table at their next start.
defineKind("note", noteKind);

definePermissions("note", { verbs: ["list", "view", "create"], global: ["create"] });
