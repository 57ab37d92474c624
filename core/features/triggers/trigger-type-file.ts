import type { JsonObject } from "../../contract/index.ts";
import { type Attribute, checkAttributes, object, objectList, requiredText, text } from "../../language/file-attributes.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { checkPack, ownAttributes, type Place, withoutNull } from "../packs/pack-files-exports.ts";
import type { RegisteredTypeInput } from "./triggers-exports.ts";

/** Attributes that are allowed in the file of a trigger type. */
export const triggerTypeAttributes: Readonly<Record<string, Attribute>> = {
	...ownAttributes,
	name: requiredText,
	pack: text,
	description: text,
	payload_schema: object,
	parameters_schema: object,
	tags: objectList,
};

/** Returns the trigger type that a file describes. Throws `SVC_INVALID`, naming the attribute and its allowed values. */
export function toTriggerTypeInput(metadata: JsonObject, { pack, file }: Place): RegisteredTypeInput {
	checkAttributes(metadata, triggerTypeAttributes, true);
	checkPack(metadata, pack);
	const { name, description, payload_schema, parameters_schema, tags } = withoutNull(metadata) as unknown as RegisteredTypeInput;
	return {
		name,
		pack,
		metadata_file: file,
		...withoutUndefined({ description, payload_schema, parameters_schema, tags }),
	};
}
