import type { JsonObject } from "../../../core/contract/index.ts";

/** What several steps have decided, as one entry of the journal. */
export function toJournalEntry(first: JsonObject, ...rest: readonly JsonObject[]): JsonObject {
	return rest.length === 0 ? first : { steps: [first, ...rest] };
}

/** The entries as the conductor has made them. */
export function toConductorEntries(entries: readonly JsonObject[]): readonly JsonObject[] {
	return entries.flatMap((entry) => (Array.isArray(entry["steps"]) ? (entry["steps"] as readonly JsonObject[]) : [entry]));
}
