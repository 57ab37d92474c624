import { defineKind, definePermissions } from "svc-automation/feature";

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

// Storages make the table at their next start.
defineKind("note", {
	fields: { id: "text", text: "text", user: "text", posted_at: "text" },
	indexes: [["posted_at"]],
});

definePermissions("note", { verbs: ["list", "view", "create"], global: ["create"] });
