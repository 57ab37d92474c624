import { ruleEnforcementKind } from "../../contract/entities/rule-enforcement.ts";
import {
	booleanSchema,
	defineSchema,
	enumOf,
	fieldsOf,
	jsonObject,
	jsonValue,
	objectSchema,
	partOf,
	stringSchema,
} from "../../http/openapi/schema-builders.ts";
import { ruleSchema } from "../executions/rule-schema-exports.ts";
import { executionSchema } from "../executions/schemas-exports.ts";
import { triggerInstanceSchema } from "../triggers/schemas-exports.ts";
import { ruleTypes } from "./rule-types.ts";

export const rulePart = partOf(ruleSchema);

/** Schema of a type of rules. */
export const ruleTypeSchema = defineSchema(
	"RuleType",
	objectSchema({ id: stringSchema, name: stringSchema, description: stringSchema, enabled: booleanSchema, parameters: jsonObject }),
	ruleTypes[0],
);

const enforcementMembers = {
	...fieldsOf(ruleEnforcementKind, ["id", "trigger_instance_id", "execution_id", "failure_reason", "enforced_at"]),
	status: enumOf("succeeded", "failed"),
	rule: objectSchema({ ref: stringSchema, id: stringSchema, uid: stringSchema }),
};
const absent = ["execution_id", "failure_reason"];
const enforcementExample = {
	id: "66a1e0019d3e4b7a51c00041",
	trigger_instance_id: "66a1e0019d3e4b7a51c00032",
	execution_id: "66a1f0c29d3e4b7a51c08d12",
	rule: { ref: "disk.sweep", id: "66a1e0019d3e4b7a51c00040", uid: "rule:disk:sweep" },
	enforced_at: "2031-03-04T09:15:02.518273Z",
	status: "succeeded",
};

/** Schema of an enforcement in the API. */
export const enforcementSchema = defineSchema("RuleEnforcement", objectSchema(enforcementMembers, absent), enforcementExample);
export const enforcementPart = partOf(enforcementSchema);

const nothing = objectSchema({});
/** Schema of an enforcement with its trigger instance and execution. They are empty objects if they have been deleted. */
export const enforcementViewSchema = defineSchema(
	"RuleEnforcementView",
	objectSchema(
		{
			...enforcementMembers,
			trigger_instance: { anyOf: [triggerInstanceSchema, nothing] },
			execution: { anyOf: [executionSchema, nothing] },
		},
		absent,
	),
	{ ...enforcementExample, trigger_instance: {}, execution: {} },
);
const partMembers = { ...enforcementMembers, trigger_instance: jsonObject, execution: jsonObject, rule: jsonObject };
export const enforcementViewPart = defineSchema("RuleEnforcementViewPart", {
	description: "Selected members of a RuleEnforcementView.",
	...objectSchema(partMembers, Object.keys(partMembers)),
});

/** Schema of the result of testing a rule with an event. */
export const ruleTestSchema = defineSchema(
	"RuleTest",
	objectSchema(
		{
			matched: booleanSchema,
			parameters: jsonObject,
			reason: stringSchema,
			failed: objectSchema({ key: stringSchema, operator: stringSchema, pattern: jsonValue, value: jsonValue }),
		},
		["parameters", "reason", "failed"],
	),
	{ matched: true, parameters: { disk: "/dev/sda" } },
);
