import type { JsonObject } from "../../contract/index.ts";
import { type Attribute, checkAttributes, flag, object, requiredText, text } from "../../language/file-attributes.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { checkPack, ownAttributes, type Place, withoutNull } from "../packs/pack-files-exports.ts";
import type { PolicyInput } from "./policies-exports.ts";

/** Attributes of a policy file. */
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

/** Returns the policy that a file describes. Throws `SVC_INVALID` with the attribute and its allowed values if it is invalid. */
export function toPolicyInput(metadata: JsonObject, { pack, file }: Place): PolicyInput {
	checkAttributes(metadata, policyAttributes, true);
	checkPack(metadata, pack);
	const { name, description, enabled, resource_ref, policy_type, parameters } = withoutNull(metadata) as unknown as PolicyInput;
	return {
		...{ name, pack, resource_ref, policy_type, metadata_file: file },
		...withoutUndefined({ description, enabled, parameters }),
	};
}
