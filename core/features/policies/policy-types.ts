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
		description: "Most executions that are scheduled or running at once; 0: none.",
	},
	action: {
		type: "string",
		enum: ["delay", "cancel"],
		default: "delay",
		description: "What becomes of an execution above it: it waits, or is canceled.",
	},
} as const;
const retries = {
	max_retry_count: {
		type: "integer",
		default: 2,
		minimum: 1,
		maximum: 5,
		description: "How often it is run again.",
	},
	delay: { type: "number", minimum: 0, maximum: 120, description: "Seconds before it is run again; none: at once." },
} as const;

const labels = { type: "array", items: { type: "string", pattern: labelPattern }, maxItems: maxLabels } as const;

/** All policy types. */
export const policyTypes: readonly PolicyType[] = [
	define("000000000000000000000001", "concurrency", {
		description: "Limits how many executions of the action run at once.",
		parameters: threshold,
	}),
	define("000000000000000000000002", "concurrency.attr", {
		description: "Limits how many executions of the action with equal values of some parameters run at once.",
		parameters: {
			...threshold,
			attributes: {
				type: "array",
				required: true,
				items: { type: "string" },
				minItems: 1,
				maxItems: 100,
				uniqueItems: true,
				description: "Names of the parameters that are compared.",
			},
		},
	}),
	define("000000000000000000000003", "crash", {
		description: "Says what follows when the node that runs an execution goes away.",
		parameters: {
			action: {
				type: "string",
				enum: ["abandon", "retry"],
				default: "abandon",
				description: "Leave it at that, or run the action again.",
			},
			...retries,
		},
	}),
	define("000000000000000000000004", "retry", {
		description: "Runs the action again after a failure or time-out.",
		parameters: {
			retry_on: { type: "string", required: true, enum: ["failure", "timeout"], description: "What it is run again after." },
			...retries,
		},
	}),
	define("000000000000000000000005", "workers", {
		description: "Says which labels the worker has that carries out the action, besides those that the action asks for itself.",
		parameters: {
			labels: { ...labels, default: [], description: "Labels that the worker has, whoever runs the action." },
			user_labels: {
				type: "object",
				default: {},
				additionalProperties: labels,
				description: "By user, labels that the worker has besides where this user runs the action.",
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
