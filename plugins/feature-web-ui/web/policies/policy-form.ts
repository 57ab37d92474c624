import type { JsonObject, ParameterDefinitions } from "../../../../core/contract/index.ts";
import type { PolicyRecord, PolicyRequest } from "../../../_shipped/client.ts";
import * as texts from "../texts/policies.ts";

/** Fields that every policy has in addition to its parameters. */
export const policyMembers: ParameterDefinitions = {
	resource_ref: { type: "string", required: true, description: texts.actionField },
	description: { type: "string" },
};

/** Converts the values of the form to a request. `before` is the policy that is replaced. */
export function toPolicyRequest(policy_type: string, values: JsonObject, before?: PolicyRecord): PolicyRequest {
	const { name = before?.name, pack = before?.pack, resource_ref, description, ...parameters } = values;
	return {
		...{ name: String(name), pack: String(pack), resource_ref: String(resource_ref), policy_type, parameters },
		...(description !== undefined && { description: String(description) }),
		...(before !== undefined && { enabled: before.enabled }),
	};
}
