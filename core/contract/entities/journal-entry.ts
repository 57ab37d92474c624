import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A journal entry of a run, from which the run can be continued (`RunJournal`). */
export interface JournalEntryEntity {
	readonly id: string;
	readonly execution_id: string;
	/** Number of the entry within its execution, from 1 without gaps. */
	readonly sequence: number;
	readonly timestamp: string;
	/** The entry as the runner has written it: unmasked, but without the token of the run. Never shown. */
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
