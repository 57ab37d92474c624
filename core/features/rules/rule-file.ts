import type { JsonObject } from "../../contract/index.ts";
import { type Attribute, checkAttributes, flag, isObject, object, requiredText, text } from "../../language/attributes.ts";
import { checkPack, ownAttributes, type Place, withoutNull } from "../packs/pack-files-api.ts";
import type { RuleInput } from "./rules-api.ts";

const tags: Attribute = { allowed: "a list of objects", accepts: (value) => Array.isArray(value) && value.every(isObject) };

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

function isOptionalObject(value: JsonObject, name: string): boolean {
	return (value[name] ?? null) === null || isObject(value[name]);
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
