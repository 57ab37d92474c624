import type { JsonObject } from "../../../core/contract/index.ts";

/** Combines the entries of several steps into one entry of the journal. */
export function toJournalEntry(first: JsonObject, ...rest: readonly JsonObject[]): JsonObject {
	return rest.length === 0 ? first : { steps: [first, ...rest] };
}

/** Splits journal entries into the entries of the conductor's steps. */
export function toConductorEntries(entries: readonly JsonObject[]): readonly JsonObject[] {
	return entries.flatMap((entry) => (Array.isArray(entry["steps"]) ? (entry["steps"] as readonly JsonObject[]) : [entry]));
}
