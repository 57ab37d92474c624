import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A kind of event: what its instances hold and how it is parameterised. */
export interface TriggerTypeEntity {
	readonly id: string;
	/** `<pack>.<name>`; the name may hold dots. */
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly metadata_file: string | null;
	/** JSON schema of payloads; empty: anything. */
	readonly payload_schema: JsonObject;
	/** JSON schema of parameters; empty: the type has one trigger, without parameters, of its own name. */
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
