import { createId, type Kernel, type Principal, toTimestamp } from "svc-automation/feature";
import type { NoteEntity } from "./note.ts";
import { notePosted } from "./trigger-type.ts";

/** Notes that everybody may read. */
export class Board {
	readonly #kernel: Kernel;

	constructor(kernel: Kernel) {
		this.#kernel = kernel;
	}

	/** The newest first. */
	async list(): Promise<readonly NoteEntity[]> {
		return this.#kernel.storage.find("note", { orderBy: [["posted_at", "desc"]], limit: 100 });
	}

	/** The note and the event that tells of it are on disk when the promise resolves: both, or neither. */
	async post(text: string, { username }: Principal): Promise<NoteEntity> {
		const { storage, clock, dispatcher } = this.#kernel;
		const note = { id: createId(clock), text, user: username, posted_at: toTimestamp(clock.now()) };
		const event = await dispatcher.draft({ trigger: notePosted.ref, payload: { text, user: username } });
		await storage.write([{ insert: "note", entities: [note] }, ...(event?.operations ?? [])]);
		event?.announce();
		return note;
	}

	/** Take down what is older than so many seconds; how many they were. */
	async takeDown(age: number): Promise<number> {
		const { storage, clock } = this.#kernel;
		return storage.remove("note", { where: { posted_at: { lt: toTimestamp(clock.now() - age * 1_000_000) } } });
	}
}
