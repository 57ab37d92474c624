import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A trigger type with parameter values. Rules with equal values share the trigger. */
export interface TriggerEntity {
	readonly id: string;
	/** `<pack>.<name>`. */
	readonly ref: string;
	readonly pack: string;
	/** Name of the type if the type has no parameters. Otherwise the name that a client gave, or a random UUID. */
	readonly name: string;
	/** Ref of the trigger type. */
	readonly type: string;
	/** SHA-256 of the parameters with sorted keys, in hex. */
	readonly parameters_hash: string;
	readonly description: string;
	readonly parameters: JsonObject;
}

export const triggerKind: EntityKindDefinition<TriggerEntity> = {
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
};
