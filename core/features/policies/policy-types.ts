import type { ParameterDefinition, ParameterDefinitions } from "../../contract/index.ts";
import { labelPattern, maxLabels } from "../../kernel/basics/names.ts";

/** Types of policies that determine when an execution may be scheduled. */
export const concurrencyTypes: readonly string[] = ["action.concurrency", "action.concurrency.attr"];

/** Type of policies that determine which workers carry out an execution. Such a policy may apply to more than one action. */
export const workersType = "action.workers";

/** A policy type as the API returns it. */
export interface PolicyType {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly resource_type: string;
	readonly description: string;
	readonly enabled: boolean;
	readonly module: string;
	readonly parameters: ParameterDefinitions;
}

const threshold = {
	threshold: {
		type: "integer",
		required: true,
		minimum: 0,
		description: "Maximum number of concurrently scheduled or running executions; 0: no execution starts.",
	},
	action: {
		type: "string",
		enum: ["delay", "cancel"],
		default: "delay",
		description: "What happens to an execution above the threshold: it is delayed or canceled.",
	},
} as const;
const retries = {
	max_retry_count: {
		type: "integer",
		default: 2,
		minimum: 1,
		maximum: 5,
		description: "Maximum number of retries.",
	},
	delay: { type: "number", minimum: 0, maximum: 120, description: "Seconds before a retry. Default: no delay." },
} as const;

const labels = { type: "array", items: { type: "string", pattern: labelPattern }, maxItems: maxLabels } as const;

/** All policy types. */
export const policyTypes: readonly PolicyType[] = [
	define("000000000000000000000001", "concurrency", {
		description: "Limits the number of concurrent executions of the action.",
		parameters: threshold,
	}),
	define("000000000000000000000002", "concurrency.attr", {
		description: "Limits the number of concurrent executions of the action with equal values of selected parameters.",
		parameters: {
			...threshold,
			attributes: {
				type: "array",
				required: true,
				items: { type: "string" },
				minItems: 1,
				maxItems: 100,
				uniqueItems: true,
				description: "Names of the compared parameters.",
			},
		},
	}),
	define("000000000000000000000003", "crash", {
		description: "Defines what happens if the node that runs an execution stops.",
		parameters: {
			action: {
				type: "string",
				enum: ["abandon", "retry"],
				default: "abandon",
				description: "`abandon`: the execution ends. `retry`: the action is run again.",
			},
			...retries,
		},
	}),
	define("000000000000000000000004", "retry", {
		description: "Retries the action after a failure or timeout.",
		parameters: {
			retry_on: { type: "string", required: true, enum: ["failure", "timeout"], description: "Outcome after which the action is retried." },
			...retries,
		},
	}),
	define("000000000000000000000005", "workers", {
		description: "Labels that the worker of the action must have, in addition to those that the action requires.",
		parameters: {
			labels: { ...labels, default: [], description: "Labels that the worker must have for all users." },
			user_labels: {
				type: "object",
				default: {},
				additionalProperties: labels,
				description: "Additional labels by user who runs the action.",
			},
		} satisfies Record<string, ParameterDefinition>,
	}),
];

function define(id: string, name: string, { description, parameters }: Pick<PolicyType, "description" | "parameters">): PolicyType {
	const resource_type = "action";
	return {
		...{ id, uid: `policy_type:${resource_type}:${name}`, ref: `${resource_type}.${name}`, name, resource_type },
		...{ description, enabled: true, module: `svcactions.policies.${name}`, parameters },
	};
}
