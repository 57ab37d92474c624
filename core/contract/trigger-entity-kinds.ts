import type { EntityMap } from "./entities.ts";
import type { EntityKindDefinition } from "./entity-kind.ts";

type TriggerEntityKind =
	| "trigger_type"
	| "trigger"
	| "trigger_instance"
	| "rule"
	| "rule_enforcement"
	| "webhook_delivery"
	| "timer"
	| "key_value"
	| "sensor";

/** Shape of the kinds in trigger-entities.ts. */
export const triggerEntityKinds: { readonly [K in TriggerEntityKind]: EntityKindDefinition<EntityMap[K]> } = {
	trigger_type: {
		fields: {
			id: "text",
			ref: "text",
			pack: "text",
			name: "text",
			description: "text",
			metadata_file: "text",
			payload_schema: "json",
			parameters_schema: "json",
			tags: "json",
		},
		unique: [["ref"]],
		indexes: [["pack", "name"], ["name"]],
	},
	trigger: {
		fields: {
			id: "text",
			ref: "text",
			pack: "text",
			name: "text",
			type: "text",
			parameters_hash: "text",
			description: "text",
			parameters: "json",
		},
		unique: [["ref"], ["type", "parameters_hash"]],
		indexes: [["pack", "name"], ["name"]],
	},
	trigger_instance: {
		fields: {
			id: "text",
			trigger: "text",
			trigger_type: "text",
			status: "text",
			occurrence_time: "text",
			trace_id: "text",
			unique_key: "text",
			caused_by_id: "text",
			depth: "integer",
			attempt: "integer",
			owner: "text",
			fence: "text",
			lease_expires_at: "text",
			failure_reason: "text",
			payload: "json",
			known_secrets: "text",
		},
		unique: [["unique_key"]],
		indexes: [
			["occurrence_time"],
			["status", "occurrence_time"],
			["trigger", "occurrence_time"],
			["trigger_type", "occurrence_time"],
			["trace_id"],
		],
		sparseIndexes: { caused_by_id: [["caused_by_id"]], lease_expires_at: [["status", "lease_expires_at"]] },
	},
	rule: {
		fields: {
			id: "text",
			ref: "text",
			pack: "text",
			name: "text",
			description: "text",
			type: "text",
			enabled: "boolean",
			trigger: "text",
			trigger_type: "text",
			action_ref: "text",
			user: "text",
			revision: "text",
			metadata_file: "text",
			criteria: "json",
			action_parameters: "json",
			type_parameters: "json",
			tags: "json",
		},
		unique: [["ref"]],
		indexes: [["pack", "name"], ["name"], ["trigger", "enabled"], ["trigger_type"], ["action_ref"], ["user"]],
	},
	rule_enforcement: {
		fields: {
			id: "text",
			rule_id: "text",
			rule_ref: "text",
			trigger_instance_id: "text",
			execution_id: "text",
			status: "text",
			enforced_at: "text",
			trace_id: "text",
			failure_reason: "text",
		},
		unique: [["rule_id", "trigger_instance_id"]],
		indexes: [["enforced_at"], ["rule_ref", "enforced_at"], ["trigger_instance_id"], ["trace_id"]],
		sparseIndexes: { execution_id: [["execution_id"]] },
	},
	webhook_delivery: {
		fields: {
			id: "text",
			url: "text",
			trigger: "text",
			delivery_key: "text",
			delivery_id: "text",
			received_at: "text",
			verdict: "text",
			user: "text",
			trigger_instance_id: "text",
			reason: "text",
			trace_tag: "text",
			headers: "json",
			body: "json",
		},
		unique: [["delivery_key"]],
		indexes: [["received_at"], ["url", "received_at"], ["verdict", "received_at"]],
	},
	timer: {
		fields: {
			id: "text",
			trigger: "text",
			trigger_type: "text",
			started_at: "text",
			next_fire_at: "text",
			last_fired_at: "text",
		},
		unique: [["trigger"]],
		indexes: [["next_fire_at"]],
	},
	key_value: {
		fields: {
			id: "text",
			scope: "text",
			name: "text",
			user: "text",
			description: "text",
			secret: "boolean",
			expire_timestamp: "text",
			updated_at: "text",
			value: "text",
		},
		unique: [["scope", "name"]],
		sparseIndexes: { expire_timestamp: [["expire_timestamp"]] },
	},
	sensor: {
		fields: {
			id: "text",
			ref: "text",
			pack: "text",
			name: "text",
			description: "text",
			enabled: "boolean",
			poll_interval: "integer",
			state: "text",
			state_changed_at: "text",
			restarts: "integer",
			last_error: "text",
			next_start_at: "text",
			owner: "text",
			fence: "text",
			lease_expires_at: "text",
			trigger_types: "json",
		},
		unique: [["ref"]],
		indexes: [["pack", "name"]],
	},
};
