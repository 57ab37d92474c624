import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A rule: the action to run when a trigger fires. */
export interface RuleEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	/**
	 * - `standard`: evaluated for each trigger instance.
	 * - `backstop`: evaluated only if no standard rule of the trigger matched.
	 */
	readonly type: "standard" | "backstop";
	readonly enabled: boolean;
	/** Ref of the trigger. */
	readonly trigger: string;
	readonly trigger_type: string;
	/** Ref of the action, which need not exist. */
	readonly action_ref: string;
	/** The user who last changed the rule. Its templates are evaluated with this user's permissions. */
	readonly user: string;
	/** Scopes of the API key of the last change, which restrict what the rule can do. Null if no API key was used. */
	readonly scopes: readonly string[] | null;
	/** Unique value that changes with each update. */
	readonly revision: string;
	readonly metadata_file: string | null;
	/** Criteria by path, each `{type, pattern}`. */
	readonly criteria: JsonObject;
	readonly action_parameters: JsonObject;
	readonly type_parameters: JsonObject;
	readonly tags: readonly JsonObject[];
}

export const ruleKind: EntityKindDefinition<RuleEntity> = {
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
		scopes: "json",
	},
	unique: [["ref"]],
	indexes: [["pack", "name"], ["name"], ["trigger", "enabled"], ["trigger_type"], ["action_ref"], ["user"]],
};
