import type { JsonObject } from "../json.ts";
import type { ParameterDefinitions } from "../parameters.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** The stored record of an action. */
export interface ActionEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly runner_type: string;
	/** File below the pack's `actions` directory. Empty if the action has none. */
	readonly entry_point: string;
	readonly enabled: boolean;
	readonly metadata_file: string | null;
	readonly parameters: ParameterDefinitions;
	readonly output_schema: JsonObject;
	readonly tags: readonly JsonObject[];
	readonly notify: JsonObject;
	/**
	 * Id of the `pack_content` of an installed pack, otherwise null. Each execution uses the files that the pack had when it was requested.
	 */
	readonly content: string | null;
}

export const actionKind: EntityKindDefinition<ActionEntity> = {
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
		content: "text",
	},
	unique: [["ref"]],
	indexes: [["pack", "name"], ["name"]],
};
