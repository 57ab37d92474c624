import type { JsonObject, Storage } from "../../contract/index.ts";
import { Breath } from "../../lib/event-loop.ts";

/** Entries of a journal that are read at a time. */
const pageSize = 500;

/** Everything that the runs of an execution have decided, the oldest first. Read page by page, so that a long journal does not hold up others. */
export async function readJournal(storage: Pick<Storage, "find">, executionId: string): Promise<readonly JsonObject[]> {
	const entries: JsonObject[] = [];
	const breath = new Breath();
	for (let after = 0; ; await breath.take()) {
		const rows = await storage.find("journal_entry", {
			where: { execution_id: executionId, sequence: { gt: after } },
			orderBy: [["sequence", "asc"]],
			limit: pageSize,
			fields: ["sequence", "entry"],
		});
		for (const { sequence, entry } of rows) {
			entries.push(entry);
			after = sequence;
		}
		if (rows.length < pageSize) return entries;
	}
}
