import type { Migration, TableDefinition } from "./migration.ts";

const tables: Readonly<Record<string, TableDefinition>> = {
	policies: {
		columns: {
			id: "text",
			ref: "text",
			pack: "text",
			name: "text",
			description: "text",
			enabled: "boolean",
			resource_ref: "text",
			policy_type: "text",
			turn: "integer",
			metadata_file: "text",
			parameters: "text",
		},
		unique: [["ref"], ["resource_ref", "policy_type"]],
		indexes: [["pack", "name"], ["name"]],
	},
	nodes: {
		columns: {
			id: "text",
			name: "text",
			hostname: "text",
			pid: "integer",
			version: "text",
			state: "text",
			drain: "boolean",
			running: "integer",
			started_at: "text",
			heartbeat_at: "text",
			expires_at: "text",
			late_writes: "integer",
			event_bus: "text",
			event_bus_shared: "boolean",
			roles: "text",
			addresses: "text",
		},
		indexes: [["expires_at"]],
	},
	duties: {
		columns: {
			id: "text",
			name: "text",
			owner: "text",
			fence: "text",
			lease_expires_at: "text",
			done_at: "text",
		},
		unique: [["name"]],
	},
};

/**
 * Adds policies, nodes and duties (singleton tasks), and the column `queue` of executions with an index. Replaces eight indexes of
 * executions: `parent_id` is added to seven, and `queue` to that of due executions.
 */
export const nodesAndPolicies: Migration = {
	name: "0004-nodes-and-policies",
	tables,
	columns: { executions: { queue: "text" } },
	droppedIndexes: {
		executions: [
			["status", "start_timestamp"],
			["action_ref", "start_timestamp"],
			["runner_name", "start_timestamp"],
			["user", "start_timestamp"],
			["rule_name", "start_timestamp"],
			["trigger_name", "start_timestamp"],
			["trigger_type_name", "start_timestamp"],
			["status", "due_timestamp"],
		],
	},
	indexes: {
		executions: {
			indexes: [
				["status", "start_timestamp", "parent_id"],
				["action_ref", "start_timestamp", "parent_id"],
				["runner_name", "start_timestamp", "parent_id"],
				["user", "start_timestamp", "parent_id"],
				["status", "queue", "due_timestamp"],
			],
			sparseIndexes: {
				queue: [["queue", "due_timestamp"]],
				rule_name: [["rule_name", "start_timestamp", "parent_id"]],
				trigger_name: [["trigger_name", "start_timestamp", "parent_id"]],
				trigger_type_name: [["trigger_type_name", "start_timestamp", "parent_id"]],
			},
		},
	},
};
