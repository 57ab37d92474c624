import type { JsonObject } from "../json.ts";
import type { ParameterSchema } from "../parameters.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** An action, as it is kept. */
export interface ActionEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly runner_type: string;
	/** File below the pack's `actions` directory, or empty. */
	readonly entry_point: string;
	readonly enabled: boolean;
	readonly metadata_file: string | null;
	readonly parameters: ParameterSchema;
	readonly output_schema: JsonObject;
	readonly tags: readonly JsonObject[];
	readonly notify: JsonObject;
	/** Of an action that came with an installed pack: the `content` of the pack, so that an execution keeps the files that it began with. */
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
