import type { JsonObject, Storage } from "../../contract/index.ts";
import { EventLoopYield } from "../../lib/event-loop.ts";

/** Maximum number of journal entries that one query reads. */
const pageSize = 500;

/**
 * Returns the journal of an execution: the decisions of its runs, the oldest first. A long journal is read page by page, with yields to the
 * event loop, so that requests are still served.
 */
export async function readJournal(storage: Pick<Storage, "find">, executionId: string): Promise<readonly JsonObject[]> {
	const entries: JsonObject[] = [];
	const loopYield = new EventLoopYield();
	for (let after = 0; ; await loopYield.yieldIfDue()) {
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
