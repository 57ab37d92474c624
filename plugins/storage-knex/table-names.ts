import type { EntityKind } from "../../core/contract/index.ts";

/** Table of each kind: its plural, which is no reserved word of SQL where the singular (`user`) is. */
export const tableNames: { readonly [K in EntityKind]: string } = {
	execution: "executions",
	snapshot: "snapshots",
	output_chunk: "output_chunks",
	trace: "traces",
	pack: "packs",
	action: "actions",
	runner_type: "runner_types",
	token: "tokens",
	user: "users",
	api_key: "api_keys",
	role_assignment: "role_assignments",
	sign_in_failure: "sign_in_failures",
	trigger_type: "trigger_types",
	trigger: "triggers",
	trigger_instance: "trigger_instances",
	rule: "rules",
	rule_enforcement: "rule_enforcements",
	webhook_delivery: "webhook_deliveries",
	timer: "timers",
	key_value: "key_values",
	sensor: "sensors",
	policy: "policies",
	node: "nodes",
	duty: "duties",
};
