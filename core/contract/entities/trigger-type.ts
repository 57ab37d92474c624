import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A kind of event: the schema of its payloads and parameters. */
export interface TriggerTypeEntity {
	readonly id: string;
	/** `<pack>.<name>`; the name may contain dots. */
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly metadata_file: string | null;
	/** JSON schema of payloads. Empty: any payload is valid. */
	readonly payload_schema: JsonObject;
	/** JSON schema of parameters. Empty: the type has exactly one trigger, which has no parameters and the name of the type. */
	readonly parameters_schema: JsonObject;
	readonly tags: readonly JsonObject[];
}

export const triggerTypeKind: EntityKindDefinition<TriggerTypeEntity> = {
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
};
