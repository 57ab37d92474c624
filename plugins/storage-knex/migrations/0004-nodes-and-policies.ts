import { createTable, type Migration, type TableDefinition } from "./migration.ts";

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

export const nodesAndPolicies: Migration = {
	name: "0004-nodes-and-policies",
	async up(knex) {
		for (const [name, definition] of Object.entries(tables)) await createTable(knex, name, definition);
		await knex.schema.alterTable("executions", (table) => {
			table.text("queue");
			table.index(["queue", "due_timestamp"], undefined, { predicate: knex.whereNotNull("queue") });
			for (const field of ["status", "action_ref", "runner_name", "user"]) {
				table.dropIndex([field, "start_timestamp"]);
				table.index([field, "start_timestamp", "parent_id"]);
			}
			for (const field of ["rule_name", "trigger_name", "trigger_type_name"]) {
				table.dropIndex([field, "start_timestamp"]);
				table.index([field, "start_timestamp", "parent_id"], undefined, { predicate: knex.whereNotNull(field) });
			}
			table.dropIndex(["status", "due_timestamp"]);
			table.index(["status", "queue", "due_timestamp"]);
		});
	},
};
