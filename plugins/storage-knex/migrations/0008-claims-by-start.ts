import type { Migration } from "./migration.ts";

const dueIndexes = [["status", "queue", "due_timestamp"]];

/**
 * Replaces indexes, so that waiting executions are claimed by their start. Only delayed ones are claimed by due time, with a separate
 * index.
 */
export const claimsByStart: Migration = {
	name: "0008-claims-by-start",
	droppedIndexes: { executions: [["status", "start_timestamp", "parent_id"], ...dueIndexes] },
	indexes: {
		executions: { indexes: [["status", "start_timestamp", "parent_id", "queue", "delay"]], sparseIndexes: { delay: dueIndexes } },
	},
};
