import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** What a run has decided, for whoever goes on with it (`RunJournal`). */
export interface JournalEntryEntity {
	readonly id: string;
	readonly execution_id: string;
	/** From 1 without gaps within one execution. */
	readonly sequence: number;
	readonly timestamp: string;
	/** As the runner has given it, secrets in clear. Shown nowhere. */
	readonly entry: JsonObject;
}

export const journalEntryKind: EntityKindDefinition<JournalEntryEntity> = {
	fields: {
		id: "text",
		execution_id: "text",
		sequence: "integer",
		timestamp: "text",
		entry: "json",
	},
	unique: [["execution_id", "sequence"]],
	shareable: true,
};
