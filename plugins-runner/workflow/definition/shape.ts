import type { JsonValue } from "../../../core/contract/index.ts";

/** Subset of JSON schema that describes definitions. `checkShape` supports exactly these keywords. */
export interface Shape {
	readonly description?: string;
	readonly type?: "object" | "array" | "string" | "integer";
	readonly enum?: readonly JsonValue[];
	readonly minLength?: 1;
	readonly minimum?: number;
	readonly pattern?: RegExp;
	readonly minItems?: 1;
	readonly uniqueItems?: true;
	readonly items?: Shape;
	readonly minProperties?: 1;
	readonly maxProperties?: 1;
	readonly required?: readonly string[];
	readonly properties?: Readonly<Record<string, Shape>>;
	/** Pattern for names of members, as a regular expression and as messages and paths write it, and the shape of these members. */
	readonly named?: { readonly pattern: RegExp; readonly path: string; readonly shape: Shape };
	readonly additionalProperties?: false;
	/** Alternative notation. It is already expanded when the shape is checked. */
	readonly shorthand?: Shape;
	/** The value must match one of these shapes, which exclude each other. */
	readonly oneOf?: readonly Shape[];
}

/** Names of tasks: letters, digits and underscores. */
export const taskName = { pattern: /^[\p{L}\p{M}\p{N}_]+$/u, path: "^\\w+$" } as const;
/** Pattern of item expressions: `<% … %>` or `{{ … }}`, optionally after names and the word `in`. */
export const itemsPattern = /^\s*(?:(?:\w+(?:\s*,\s*\w+)*)\s+in\s+)?(?:<%.*%>|\{\{.*\}\})\s*$/;

const text = { type: "string", minLength: 1 } as const satisfies Shape;
const integer = { type: "integer", minimum: 0 } as const satisfies Shape;
const oneKey = { type: "object", minProperties: 1, maxProperties: 1 } as const satisfies Shape;
const textOrInteger = { oneOf: [text, integer] } as const satisfies Shape;
const textOrPositive = { oneOf: [text, { type: "integer", minimum: 1 }] } as const satisfies Shape;
const texts = { type: "array", items: text, uniqueItems: true, minItems: 1 } as const satisfies Shape;
const assignments = { type: "array", items: oneKey, uniqueItems: true, minItems: 1 } as const satisfies Shape;

const transition: Shape = {
	type: "object",
	properties: {
		when: { ...text, description: "An expression; the transition is taken if it is true. Default: always." },
		publish: { oneOf: [text, assignments], description: "Variables to set, one after the other." },
		do: { oneOf: [text, texts], description: "Next tasks or commands: continue, noop, fail, retry. Default: continue." },
	},
	additionalProperties: false,
};

const itemized: Shape = {
	shorthand: { ...text, pattern: itemsPattern },
	type: "object",
	properties: {
		items: { ...text, pattern: itemsPattern, description: "An expression for a list, optionally with names: `name in <% … %>`." },
		concurrency: { ...textOrInteger, description: "Maximum number of items that run concurrently. Default: all." },
		continue_on_failure: { enum: [true, false], description: "True to run all items even if some fail. Default: false." },
	},
	required: ["items"],
	additionalProperties: false,
};

const retry: Shape = {
	type: "object",
	properties: {
		when: { ...text, description: "An expression; the task is retried while it is true. Default: if the task failed." },
		count: { ...textOrInteger, description: "Maximum number of retries." },
		delay: { ...textOrInteger, description: "Seconds before a retry. Default: 0." },
	},
	required: ["count"],
	additionalProperties: false,
};

const task: Shape = {
	type: "object",
	properties: {
		action: { ...text, description: "Ref of an action, such as core.noop. Without it, the task runs no action." },
		input: { oneOf: [text, { type: "object", minProperties: 1 }], description: "Parameters of the action." },
		with: itemized,
		join: { oneOf: [{ enum: ["all"] }, integer], description: "Number of incoming transitions to wait for." },
		delay: { ...textOrInteger, description: "Seconds before the task starts." },
		timeout: { ...textOrPositive, description: "Seconds after which the task is ended." },
		retry,
		next: { type: "array", items: transition, description: "Transitions to the next tasks." },
	},
	additionalProperties: false,
};

export const definitionShape: Shape = {
	type: "object",
	properties: {
		version: { enum: ["1.0", 1], description: "Of the notation." },
		name: text,
		description: text,
		tags: texts,
		input: {
			type: "array",
			items: { oneOf: [text, oneKey] },
			uniqueItems: true,
			minItems: 1,
			description: "Input parameters of the workflow.",
		},
		vars: { ...assignments, description: "Initial variables." },
		tasks: { type: "object", minProperties: 1, named: { ...taskName, shape: task }, additionalProperties: false },
		output: { ...assignments, description: "Output of the workflow." },
		timeout: { ...textOrPositive, description: "Seconds after which the workflow is ended." },
	},
	required: ["tasks"],
	additionalProperties: false,
};
