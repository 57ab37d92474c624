import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** What to do about a trigger. */
export interface RuleEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	/** `backstop` rules are looked at when no standard rule of the trigger matched. */
	readonly type: "standard" | "backstop";
	readonly enabled: boolean;
	/** Ref of the trigger. */
	readonly trigger: string;
	readonly trigger_type: string;
	/** Need not exist. */
	readonly action_ref: string;
	/** User who changed it last: its templates read with the permissions of this user. */
	readonly user: string;
	/** Scopes of the API key that it was changed last with, which narrow what it does. Null: no such key. */
	readonly scopes: readonly string[] | null;
	/** A new one with each change. */
	readonly revision: string;
	readonly metadata_file: string | null;
	/** Path to `{type, pattern}`. */
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
