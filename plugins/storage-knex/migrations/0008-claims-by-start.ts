import type { Migration } from "./migration.ts";

const ofDue = [["status", "queue", "due_timestamp"]];

/** What waits is claimed by its start; only what was asked to wait by when it is due, which keeps its index. */
export const claimsByStart: Migration = {
	name: "0008-claims-by-start",
	dropped: { executions: [["status", "start_timestamp", "parent_id"], ...ofDue] },
	indexes: {
		executions: { indexes: [["status", "start_timestamp", "parent_id", "queue", "delay"]], sparseIndexes: { delay: ofDue } },
	},
};
