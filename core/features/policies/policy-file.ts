import type { JsonObject } from "../../contract/index.ts";
import { type Attribute, checkAttributes, flag, object, requiredText, text } from "../../language/attributes.ts";
import { checkPack, ownAttributes, type Place, withoutNull } from "../packs/pack-files-api.ts";
import type { PolicyInput } from "./policies-api.ts";

/** Attributes that the file of a policy may have. */
export const policyAttributes: Readonly<Record<string, Attribute>> = {
	...ownAttributes,
	name: requiredText,
	pack: text,
	description: text,
	enabled: flag,
	resource_ref: requiredText,
	policy_type: requiredText,
	parameters: object,
};

/** The policy that a file describes. `SVC_INVALID` names the attribute and what is allowed. */
export function toPolicyInput(metadata: JsonObject, { pack, file }: Place): PolicyInput {
	checkAttributes(metadata, policyAttributes, true);
	checkPack(metadata, pack);
	const { name, description, enabled, resource_ref, policy_type, parameters } = withoutNull(metadata) as unknown as PolicyInput;
	return {
		...{ name, pack, resource_ref, policy_type, metadata_file: file },
		...(description !== undefined && { description }),
		...(enabled !== undefined && { enabled }),
		...(parameters !== undefined && { parameters }),
	};
}
