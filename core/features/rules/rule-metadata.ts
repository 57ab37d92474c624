import { type JsonObject, SvcError } from "../../contract/index.ts";
import { type Attribute, checkAttributes, flag, isObject, object, requiredText, text } from "../../language/attributes.ts";
import type { TriggerTypeInput } from "../triggers/triggers-api.ts";
import type { RuleInput } from "./rules-api.ts";

const tags: Attribute = { allowed: "a list of objects", accepts: (value) => Array.isArray(value) && value.every(isObject) };
/** Set by the service; a file that was written by it may hold them. */
export const ownAttributes = { id: text, uid: text, ref: text, metadata_file: text };

const ruleAttributes: Readonly<Record<string, Attribute>> = {
	...ownAttributes,
	name: requiredText,
	pack: text,
	description: text,
	enabled: flag,
	type: {
		allowed: "an object with ref",
		accepts: (value) => isObject(value) && typeof value["ref"] === "string",
	},
	trigger: {
		allowed: "an object with type",
		accepts: (value) => isObject(value) && typeof value["type"] === "string" && isOptionalObject(value, "parameters"),
		required: true,
	},
	criteria: object,
	action: {
		allowed: "an object with ref",
		accepts: (value) => isObject(value) && typeof value["ref"] === "string" && isOptionalObject(value, "parameters"),
		required: true,
	},
	context: object,
	tags,
};

const triggerTypeAttributes: Readonly<Record<string, Attribute>> = {
	...ownAttributes,
	name: requiredText,
	pack: text,
	description: text,
	payload_schema: object,
	parameters_schema: object,
	tags,
};

function isOptionalObject(value: JsonObject, name: string): boolean {
	return (value[name] ?? null) === null || isObject(value[name]);
}

export interface Place {
	readonly pack: string;
	/** Path in the pack. */
	readonly file: string;
}

/** The rule that a file describes. `SVC_INVALID` names the attribute and what is allowed. */
export function toRuleInput(metadata: JsonObject, { pack, file }: Place): RuleInput {
	checkAttributes(metadata, ruleAttributes, true);
	checkPack(metadata, pack);
	const given = withoutNull(metadata) as unknown as RuleInput;
	const { name, description, type, trigger, criteria, action, enabled, tags: labels } = given;
	return {
		name,
		pack,
		trigger: withoutNull(trigger as unknown as JsonObject) as unknown as RuleInput["trigger"],
		action: withoutNull(action as unknown as JsonObject) as unknown as RuleInput["action"],
		metadata_file: file,
		...(description !== undefined && { description }),
		...(type !== undefined && { type }),
		...(criteria !== undefined && { criteria }),
		...(enabled !== undefined && { enabled }),
		...(labels !== undefined && { tags: labels }),
	};
}

/** The trigger type that a file describes. */
export function toTriggerTypeInput(metadata: JsonObject, { pack }: Place): TriggerTypeInput {
	checkAttributes(metadata, triggerTypeAttributes, true);
	checkPack(metadata, pack);
	const { name, description, payload_schema, parameters_schema, tags: labels } = withoutNull(metadata) as unknown as TriggerTypeInput;
	return {
		name,
		pack,
		...(description !== undefined && { description }),
		...(payload_schema !== undefined && { payload_schema }),
		...(parameters_schema !== undefined && { parameters_schema }),
		...(labels !== undefined && { tags: labels }),
	};
}

export function checkPack(metadata: JsonObject, pack: string): void {
	if ((metadata["pack"] ?? pack) !== pack)
		throw new SvcError("SVC_INVALID", `attribute "pack" must be "${pack}", the pack the file lies in`);
}

export function withoutNull(values: JsonObject): JsonObject {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
