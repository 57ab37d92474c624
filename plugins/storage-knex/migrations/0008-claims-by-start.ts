import type { Migration } from "./migration.ts";

const dueIndexes = [["status", "queue", "due_timestamp"]];

/** Indexes for claiming waiting executions by their start. Only delayed executions are claimed by due time, with an index of their own. */
export const claimsByStart: Migration = {
	name: "0008-claims-by-start",
	droppedIndexes: { executions: [["status", "start_timestamp", "parent_id"], ...dueIndexes] },
	indexes: {
		executions: { indexes: [["status", "start_timestamp", "parent_id", "queue", "delay"]], sparseIndexes: { delay: dueIndexes } },
	},
};
