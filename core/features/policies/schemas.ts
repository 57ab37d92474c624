import { policyKind } from "../../contract/entities/policy.ts";
import { actionParameterSchema } from "../../http/openapi/action-parameter-schema.ts";
import { booleanSchema, defineSchema, fieldsOf, objectSchema, partOf, stringSchema } from "../../http/openapi/schema-builders.ts";

/** Schema of a policy in the API. */
export const policySchema = defineSchema(
	"Policy",
	objectSchema({
		...fieldsOf(policyKind, ["id", "ref", "name", "pack", "description", "enabled"]),
		...fieldsOf(policyKind, ["resource_ref", "policy_type", "parameters", "metadata_file"]),
		uid: stringSchema,
	}),
	{
		id: "66a1e0019d3e4b7a51c00050",
		uid: "policy:disk:one",
		ref: "disk.one",
		name: "one",
		pack: "disk",
		description: "One at a time.",
		enabled: true,
		resource_ref: "disk.sweep",
		policy_type: "action.concurrency",
		parameters: { threshold: 1 },
		metadata_file: "",
	},
);
export const policyPart = partOf(policySchema);

/** Schema of a policy type in the API. */
export const policyTypeSchema = defineSchema(
	"PolicyType",
	objectSchema({
		...{
			id: stringSchema,
			uid: stringSchema,
			ref: stringSchema,
			name: stringSchema,
			resource_type: stringSchema,
			description: stringSchema,
			enabled: booleanSchema,
			module: stringSchema,
		},
		parameters: actionParameterSchema,
	}),
	{
		id: "000000000000000000000001",
		uid: "policy_type:action:concurrency",
		ref: "action.concurrency",
		name: "concurrency",
		resource_type: "action",
		description: "Limits the number of concurrent executions of the action.",
		enabled: true,
		module: "policies",
		parameters: { threshold: { type: "integer", required: true } },
	},
);
export const policyTypePart = partOf(policyTypeSchema);
