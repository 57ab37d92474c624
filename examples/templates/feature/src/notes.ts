import {
	createId,
	type EntityKindDefinition,
	type Page,
	type Paging,
	type Principal,
	type ResourceTypeDefinition,
	readPage,
	toTimestamp,
	type Uses,
} from "svc-automation/feature";

/** A stored note. */
export interface NoteEntity {
	readonly id: string;
	readonly text: string;
	/** Name of the user who wrote the note. */
	readonly user: string;
	readonly created_at: string;
}

// The names of kinds and permissions are unique in a service, as are the members of its engine.
declare module "svc-automation/feature" {
	interface EntityMap {
		template_note: NoteEntity;
	}
	interface PermissionVerbs {
		template_note: "list" | "create";
	}
	interface Engine {
		readonly templateNameNotes: Notes;
	}
}

// In later versions, add new fields at the end. They must be nullable.
export const noteKind: EntityKindDefinition<NoteEntity> = {
	fields: { id: "text", text: "text", user: "text", created_at: "text" },
	indexes: [["created_at"]],
};

export const notePermissions: ResourceTypeDefinition = { verbs: ["list", "create"], global: ["create"] };

/** The notes of an engine. */
export class Notes {
	readonly #kernel: Uses<"storage" | "clock">;

	/** @param kernel may be used only after the engine has started */
	constructor(kernel: Uses<"storage" | "clock">) {
		this.#kernel = kernel;
	}

	/** Returns a part of the notes, the newest first. */
	list(paging: Paging): Promise<Page<NoteEntity>> {
		return readPage(this.#kernel.storage, "template_note", { orderBy: [["created_at", "desc"]], ...paging });
	}

	/** Stores a note of this user. */
	async create(text: string, { username }: Pick<Principal, "username">): Promise<NoteEntity> {
		const { storage, clock } = this.#kernel;
		const note: NoteEntity = { id: createId(clock), text, user: username, created_at: toTimestamp(clock.now()) };
		await storage.insert("template_note", [note]);
		return note;
	}
}
