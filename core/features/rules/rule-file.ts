import type { JsonObject } from "../../contract/index.ts";
import { type Attribute, checkAttributes, flag, isObject, object, objectList, requiredText, text } from "../../language/attributes.ts";
import { checkPack, ownAttributes, type Place, withoutNull } from "../packs/pack-files-api.ts";
import type { RuleInput } from "./rules-api.ts";

/** An object that names something, with parameters where it has some. */
function reference(member: string): JsonObject {
	return {
		type: "object",
		properties: { [member]: { type: "string" }, parameters: { type: ["object", "null"] } },
		required: [member],
	};
}

/** Attributes that the file of a rule may have. */
export const ruleAttributes: Readonly<Record<string, Attribute>> = {
	...ownAttributes,
	name: requiredText,
	pack: text,
	description: text,
	enabled: flag,
	type: {
		description: "an object with ref",
		accepts: (value) => isObject(value) && typeof value["ref"] === "string",
		schema: { type: "object", properties: { ref: { type: "string" } }, required: ["ref"] },
	},
	trigger: {
		description: "an object with type",
		accepts: (value) => isObject(value) && typeof value["type"] === "string" && isOptionalObject(value, "parameters"),
		schema: reference("type"),
		required: true,
	},
	criteria: object,
	action: {
		description: "an object with ref",
		accepts: (value) => isObject(value) && typeof value["ref"] === "string" && isOptionalObject(value, "parameters"),
		schema: reference("ref"),
		required: true,
	},
	context: object,
	tags: objectList,
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
