import { isJsonObject, type JsonObject } from "../../contract/index.ts";
import { type Attribute, checkAttributes, flag, object, objectList, requiredText, text } from "../../language/file-attributes.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { checkPack, ownAttributes, type Place, withoutNull } from "../packs/pack-files-exports.ts";
import type { RuleInput } from "./rules-exports.ts";

/** Returns the schema of a reference: an object with the required `member` and optional parameters. */
function reference(member: string): JsonObject {
	return {
		type: "object",
		properties: { [member]: { type: "string" }, parameters: { type: ["object", "null"] } },
		required: [member],
	};
}

export const ruleAttributes: Readonly<Record<string, Attribute>> = {
	...ownAttributes,
	name: requiredText,
	pack: text,
	description: text,
	enabled: flag,
	type: {
		description: "an object with ref",
		accepts: (value) => isJsonObject(value) && typeof value["ref"] === "string",
		schema: { type: "object", properties: { ref: { type: "string" } }, required: ["ref"] },
	},
	trigger: {
		description: "an object with type",
		accepts: (value) => isJsonObject(value) && typeof value["type"] === "string" && isOptionalObject(value, "parameters"),
		schema: reference("type"),
		required: true,
	},
	criteria: object,
	action: {
		description: "an object with ref",
		accepts: (value) => isJsonObject(value) && typeof value["ref"] === "string" && isOptionalObject(value, "parameters"),
		schema: reference("ref"),
		required: true,
	},
	context: object,
	tags: objectList,
};

function isOptionalObject(value: JsonObject, name: string): boolean {
	return (value[name] ?? null) === null || isJsonObject(value[name]);
}

/** Returns the rule that a file describes. Throws `SVC_INVALID` with the attribute and its allowed values if it is invalid. */
export function toRuleInput(metadata: JsonObject, { pack, file }: Place): RuleInput {
	checkAttributes(metadata, ruleAttributes, true);
	checkPack(metadata, pack);
	const given = withoutNull(metadata) as unknown as RuleInput;
	const { name, description, type, trigger, criteria, action, enabled, tags } = given;
	return {
		name,
		pack,
		trigger: withoutNull(trigger as unknown as JsonObject) as unknown as RuleInput["trigger"],
		action: withoutNull(action as unknown as JsonObject) as unknown as RuleInput["action"],
		metadata_file: file,
		...withoutUndefined({ description, type, criteria, enabled, tags }),
	};
}
