import { type Access, createId, type Kernel, type Principal, toTimestamp } from "svc-automation/feature";
import type { NoteEntity } from "./note.ts";
import { notePosted } from "./trigger-type.ts";

export interface NoteInput {
	readonly text: string;
	/** True if the note stays on the board until it is deleted. Default false. */
	readonly pinned?: boolean;
}

/** The notes of an engine. */
export class Board {
	readonly #kernel: Kernel;
	readonly #access: Pick<Access, "assert">;

	/** @param access the API of the feature `access`, which checks permissions */
	constructor(kernel: Kernel, access: Pick<Access, "assert">) {
		this.#kernel = kernel;
		this.#access = access;
	}

	/** Returns the newest 100 notes, the newest first. */
	list(): Promise<readonly NoteEntity[]> {
		return this.#kernel.storage.find("note", { orderBy: [["posted_at", "desc"]], limit: 100 });
	}

	/**
	 * Stores a note together with an event that reports it: both or neither. They are on disk when the promise resolves. Throws
	 * `SVC_FORBIDDEN` if the note is pinned and the principal does not have the permission `note_pin`.
	 */
	async post({ text, pinned = false }: NoteInput, principal: Principal): Promise<NoteEntity> {
		if (pinned) this.#access.assert(principal, "note_pin");
		const { storage, clock, dispatcher } = this.#kernel;
		const user = principal.username;
		const note = { id: createId(clock), text, user, posted_at: toTimestamp(clock.now()), pinned };
		const event = await dispatcher.draft({ trigger: notePosted.ref, payload: { text, user } });
		await storage.write([{ insert: "note", entities: [note] }, ...(event?.operations ?? [])]);
		event?.announce();
		return note;
	}

	/** Deletes the notes that are older than this number of seconds, except pinned ones. Returns the number of deleted notes. */
	deleteOlderThan(seconds: number): Promise<number> {
		const { storage, clock } = this.#kernel;
		const before = toTimestamp(clock.now() - seconds * 1_000_000);
		return storage.remove("note", { where: { posted_at: { lt: before }, pinned: false } });
	}
}
