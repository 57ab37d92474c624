import type { Migration } from "./migration.ts";

const dueIndexes = [["status", "queue", "due_timestamp"]];

/**
 * Replaces the indexes for claiming executions, so that waiting executions are claimed in the order of their start. Only delayed executions
 * are claimed in the order of their due time, with a separate index.
 */
export const claimsByStart: Migration = {
	name: "0008-claims-by-start",
	droppedIndexes: { executions: [["status", "start_timestamp", "parent_id"], ...dueIndexes] },
	indexes: {
		executions: { indexes: [["status", "start_timestamp", "parent_id", "queue", "delay"]], sparseIndexes: { delay: dueIndexes } },
	},
};
