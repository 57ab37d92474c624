import type { ParameterDefinitions } from "../../core/contract/index.ts";

export const parameters = {
	display_published: { type: "boolean", default: true, description: "Whether the result tells what the tasks have published." },
	skip_notify: { type: "array", default: [], description: "Names of tasks whose ends nobody is told of." },
} as const satisfies ParameterDefinitions;

export type ChainParameters = typeof parameters;
