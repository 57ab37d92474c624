import type { JsonObject, RunContext } from "../../../core/contract/index.ts";
import { type ChainState, withAnswer } from "./chain-state.ts";

type ChainContext = Pick<RunContext, "actionParameters" | "execution_id" | "context" | "packConfig">;

/** Returns the names available to the templates of the chain's variables. */
export function variablesForVars({ actionParameters }: ChainContext): JsonObject {
	return withWhole(actionParameters);
}

/** Returns the names available to the templates of parameters. */
export function variablesForParameters(context: ChainContext, state: ChainState): JsonObject {
	const { execution_id, packConfig } = context;
	const action_context = { parent: { execution_id, ...context.context } };
	return withWhole({ ...toShared(context, state), action_context, config_context: packConfig });
}

/**
 * Returns the names available to the templates of published values.
 * @param own Task that has ended, and its result, which is not recorded yet.
 */
export function variablesForPublish(
	context: ChainContext,
	state: ChainState,
	own: { readonly name: string; readonly result: JsonObject },
): JsonObject {
	return withWhole(toShared(context, state, { [own.name]: own.result }));
}

/** Merges the names. Later entries override earlier ones, because existing chains publish values under the name of a task. */
function toShared({ actionParameters }: ChainContext, state: ChainState, own: JsonObject = {}): JsonObject {
	const last = Object.entries({ ...state.results.last(), ...own });
	const results = Object.fromEntries(last.map(([name, result]) => [name, withAnswer(result)]));
	return { ...actionParameters, ...results, ...state.variables, __results: results };
}

function withWhole(names: JsonObject): JsonObject {
	return { __context: names, ...names };
}
