import type { EntityMap } from "./entities.ts";
import type { EntityKindDefinition } from "./entity-kind.ts";

type NodeEntityKind = "policy" | "node" | "duty";

/** Shape of the kinds in node-entities.ts. */
export const nodeEntityKinds: { readonly [K in NodeEntityKind]: EntityKindDefinition<EntityMap[K]> } = {
	policy: {
		fields: {
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
			parameters: "json",
		},
		unique: [["ref"], ["resource_ref", "policy_type"]],
		indexes: [["pack", "name"], ["name"]],
	},
	node: {
		fields: {
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
			roles: "json",
			addresses: "json",
			clock_offset: "real",
		},
		indexes: [["expires_at"]],
	},
	duty: {
		fields: {
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
