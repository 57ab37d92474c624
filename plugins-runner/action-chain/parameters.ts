import type { ParameterDefinitions } from "../../core/contract/index.ts";

export const parameters = {
	display_published: { type: "boolean", default: true, description: "True to include the published values of the tasks in the result." },
	skip_notify: { type: "array", default: [], description: "Names of tasks for which no notifications are sent." },
} as const satisfies ParameterDefinitions;

export type ChainParameters = typeof parameters;
