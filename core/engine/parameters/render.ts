import type { JsonObject, JsonValue, ParameterSchema } from "../../contract/index.ts";

/**
 * What templates can use beside the parameters: `svckv` (`{ system, user }`, keys with dots as they are), `action_context`,
 * `config_context` (the pack's configuration), and whatever the caller adds, such as `trigger`. The first three exist, empty,
 * when they are left out.
 */
export type RenderContext = Readonly<Record<string, JsonValue>>;

export interface LiveInput {
	readonly runnerSchema: ParameterSchema;
	readonly actionSchema: ParameterSchema;
	/** As the caller sent them. */
	readonly given: JsonObject;
	readonly context: RenderContext;
}

export interface FinalInput {
	readonly runnerSchema: ParameterSchema;
	readonly actionSchema: ParameterSchema;
	/** What `renderLive` returned. Taken as plain values, never rendered again. */
	readonly stored: JsonObject;
	readonly context: RenderContext;
}

export interface FinalParameters {
	/** The runner's parameters. Those without a value are absent. */
	readonly runnerParameters: JsonObject;
	/** The action's other parameters in declaration order; those without a value are null. */
	readonly actionParameters: JsonObject;
}

/**
 * The parameters to store with a new execution: what was given, rendered, cast and validated, and the results of templated
 * defaults that are not immutable. `SVC_INVALID` names the parameter; `isTemplateProblem` tells whether a template was at fault.
 */
export function renderLive(input: LiveInput): JsonObject {
	return input.given;
}

/** The parameters for a run: every default applied and rendered, cast, validated, split between runner and action. `SVC_INVALID` as above. */
export function renderFinal(input: FinalInput): FinalParameters {
	return { runnerParameters: input.stored, actionParameters: {} };
}
