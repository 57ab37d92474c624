import type { EntityKindDefinition, JsonObject } from "../../core/contract/index.ts";

/** Format of a command: one string, or a string to display (`display`) and patterns to match commands against (`representation`). */
export type AliasFormat =
	| string
	| { readonly display: string; readonly representation: readonly string[]; readonly match_multiple?: boolean };

/** A chat command that runs an action. */
export interface ActionAliasEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly enabled: boolean;
	/** Ref of the action, which need not exist. */
	readonly action_ref: string;
	readonly metadata_file: string | null;
	readonly formats: readonly AliasFormat[];
	/** Reply when the execution has been requested: `enabled`, `format`, `append_url`, `extra`. */
	readonly ack: JsonObject;
	/** Reply when the execution has ended: `enabled`, `format`, `extra`. */
	readonly result: JsonObject;
	readonly extra: JsonObject;
	/** Parameters that a command must not set. */
	readonly immutable_parameters: JsonObject;
	/**
	 * The user who last changed the alias. Templates in `immutable_parameters` are evaluated with the permissions of this user. Null in
	 * records of earlier versions.
	 */
	readonly author: string | null;
	/** Scopes of the API key of the last change, which restrict what the templates can read. Null if no API key was used. */
	readonly scopes: readonly string[] | null;
}

export const actionAliasKind: EntityKindDefinition<ActionAliasEntity> = {
	fields: {
		id: "text",
		ref: "text",
		pack: "text",
		name: "text",
		description: "text",
		enabled: "boolean",
		action_ref: "text",
		metadata_file: "text",
		formats: "json",
		ack: "json",
		result: "json",
		extra: "json",
		immutable_parameters: "json",
		author: "text",
		scopes: "json",
	},
	unique: [["ref"]],
	indexes: [["pack", "name"], ["name"], ["enabled", "pack", "name"]],
};
