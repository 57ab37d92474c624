import { type JsonObject, type ParameterDefinitions, type PolicyEntity, SvcError } from "../../contract/index.ts";
import { assertRefNames } from "../../kernel/basics/names.ts";
import { checkGivenParameters } from "../../language/parameters/check-submitted-parameters.ts";
import { validateParameter } from "../../language/parameters/validate.ts";
import type { PolicyInput } from "./policies-exports.ts";
import { policyTypes, workersType } from "./policy-types.ts";

/** Fields of a policy that its definition determines. */
export type PolicyFields = Omit<PolicyEntity, "id" | "turn">;

const refPattern = /^[a-z0-9_]{1,255}\.[A-Za-z0-9_.-]{1,255}$/;
/** Pattern for all actions of a pack, and for all actions. Only policies that do not count executions may use it. */
const widePattern = /^(?:[a-z0-9_]{1,255}\.)?\*$/;

/** Returns the fields to store, with defaults of the policy type. Throws `SVC_INVALID` if a field is invalid. The action need not exist. */
export function toPolicyFields(input: PolicyInput): PolicyFields {
	const { name, pack, resource_ref, policy_type } = input;
	assertRefNames({ pack, name });
	const type = policyTypes.find(({ ref }) => ref === policy_type);
	if (type === undefined) {
		throw new SvcError("SVC_INVALID", `policy_type: "${policy_type}" must be one of ${policyTypes.map(({ ref }) => ref).join(", ")}`);
	}
	assertRef(resource_ref, policy_type);
	const parameters = toParameters(input.parameters ?? {}, type.parameters);
	if (policy_type === workersType) assertSomeLabel(parameters);
	return {
		ref: `${pack}.${name}`,
		pack,
		name,
		description: input.description ?? "",
		enabled: input.enabled ?? true,
		resource_ref,
		policy_type,
		metadata_file: input.metadata_file || null,
		parameters,
	};
}

function assertRef(ref: string, policyType: string): void {
	const isWide = policyType === workersType;
	if (refPattern.test(ref) || (isWide && widePattern.test(ref))) return;
	throw new SvcError("SVC_INVALID", `resource_ref: "${ref}" must be <pack>.<action>${isWide ? ", <pack>.* or *" : ""}`);
}

/** Throws `SVC_INVALID` for a policy without labels. It would appear to restrict the workers without any effect. */
function assertSomeLabel({ labels, user_labels }: JsonObject): void {
	const lists = [labels, ...Object.values((user_labels ?? {}) as JsonObject)];
	if (lists.some((list) => Array.isArray(list) && list.length > 0)) return;
	throw new SvcError("SVC_INVALID", "parameters: labels or user_labels must contain at least one label");
}

/** Returns the parameters with defaults. Null means that a parameter is not given. */
function toParameters(given: JsonObject, schema: ParameterDefinitions): JsonObject {
	checkGivenParameters(schema, given);
	const parameters: Record<string, JsonObject[string]> = {};
	for (const [name, definition] of Object.entries(schema)) {
		const value = (Object.hasOwn(given, name) ? given[name] : null) ?? definition.default ?? null;
		if (value === null) continue;
		validateParameter(name, value, definition);
		parameters[name] = value;
	}
	return parameters;
}
