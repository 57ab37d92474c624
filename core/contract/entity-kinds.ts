import type { EntityKind, EntityMap } from "./entities.ts";

/** How a field is stored: `json` fields cannot be asked for or sorted by. */
export type FieldType = "text" | "integer" | "real" | "boolean" | "json";

export interface EntityKindDefinition<E> {
	/** Every field in column order; large ones last, so that reading the others stays cheap. */
	readonly fields: { readonly [F in keyof E]-?: FieldType };
	/** Combinations that no two entities may share, besides `id`. */
	readonly unique?: readonly (readonly (keyof E & string)[])[];
	/** Combinations that lists filter and sort by. */
	readonly indexes?: readonly (readonly (keyof E & string)[])[];
	/**
	 * More of them, by a field that is null in most entities: those in which it is null need no place in the index, which keeps
	 * writes cheap. Conditions that ask for null there must be served by other combinations.
	 */
	readonly sparseIndexes?: { readonly [F in keyof E & string]?: readonly (readonly (keyof E & string)[])[] };
	/** Writes need not be durable by themselves (see `Storage`). Default false. */
	readonly relaxed?: boolean;
}

/** Shape of every kind, as data for storage plugins. */
export const entityKinds: { readonly [K in EntityKind]: EntityKindDefinition<EntityMap[K]> } = {
	execution: {
		fields: {
			id: "text",
			liveaction_id: "text",
			status: "text",
			action_ref: "text",
			runner_name: "text",
			user: "text",
			parent_id: "text",
			trace_id: "text",
			rule_name: "text",
			trigger_name: "text",
			trigger_type_name: "text",
			trigger_instance_id: "text",
			start_timestamp: "text",
			end_timestamp: "text",
			elapsed_seconds: "real",
			due_timestamp: "text",
			delay: "integer",
			attempt: "integer",
			owner: "text",
			fence: "text",
			lease_expires_at: "text",
			snapshot_id: "text",
			result_size: "integer",
			log: "json",
			context: "json",
			notify: "json",
			callback: "json",
			runner_info: "json",
			parameters: "json",
			result: "json",
		},
		unique: [["liveaction_id"]],
		indexes: [
			// With the parent, so that those without one are listed and counted without reading the entities.
			["start_timestamp", "parent_id"],
			["status", "start_timestamp"],
			["status", "due_timestamp"],
			["action_ref", "start_timestamp"],
			["runner_name", "start_timestamp"],
			["user", "start_timestamp"],
			["trace_id"],
		],
		sparseIndexes: {
			lease_expires_at: [["status", "lease_expires_at"]],
			parent_id: [["parent_id", "start_timestamp"]],
			rule_name: [["rule_name", "start_timestamp"]],
			trigger_name: [["trigger_name", "start_timestamp"]],
			trigger_type_name: [["trigger_type_name", "start_timestamp"]],
			trigger_instance_id: [["trigger_instance_id"]],
		},
	},
	snapshot: { fields: { id: "text", action: "json", runner: "json" } },
	output_chunk: {
		fields: { id: "text", execution_id: "text", sequence: "integer", output_type: "text", timestamp: "text", data: "text" },
		unique: [["execution_id", "sequence"]],
		indexes: [["timestamp"]],
		relaxed: true,
	},
	trace: {
		fields: { id: "text", trace_tag: "text", start_timestamp: "text" },
		indexes: [["trace_tag", "start_timestamp"], ["start_timestamp"]],
	},
	pack: {
		fields: {
			id: "text",
			ref: "text",
			name: "text",
			description: "text",
			version: "text",
			author: "text",
			path: "text",
			metadata: "json",
		},
		unique: [["ref"]],
		indexes: [["name"]],
	},
	action: {
		fields: {
			id: "text",
			ref: "text",
			pack: "text",
			name: "text",
			description: "text",
			runner_type: "text",
			entry_point: "text",
			enabled: "boolean",
			metadata_file: "text",
			parameters: "json",
			output_schema: "json",
			tags: "json",
			notify: "json",
		},
		unique: [["ref"]],
		indexes: [["pack", "name"], ["name"]],
	},
	runner_type: {
		fields: {
			id: "text",
			name: "text",
			description: "text",
			enabled: "boolean",
			runner_module: "text",
			output_key: "text",
			runner_parameters: "json",
		},
		unique: [["name"]],
	},
	token: {
		fields: { id: "text", token_hash: "text", user: "text", expiry: "text", service: "boolean", created_at: "text", metadata: "json" },
		unique: [["token_hash"]],
		indexes: [["expiry"], ["user"]],
	},
	user: {
		fields: { id: "text", name: "text", is_service: "boolean", created_at: "text", nicknames: "json" },
		unique: [["name"]],
	},
	api_key: {
		fields: {
			id: "text",
			key_hash: "text",
			user: "text",
			enabled: "boolean",
			created_at: "text",
			last_used_at: "text",
			expires_at: "text",
			metadata: "json",
			scopes: "json",
		},
		unique: [["key_hash"]],
		indexes: [["user"]],
	},
	role_assignment: {
		fields: { id: "text", user: "text", role: "text", description: "text", source: "text" },
		unique: [["user", "role", "source"]],
	},
	sign_in_failure: {
		fields: { id: "text", subject: "text", failures: "integer", last_failure_at: "text", blocked_until: "text" },
		unique: [["subject"]],
		indexes: [["last_failure_at"]],
	},
};
