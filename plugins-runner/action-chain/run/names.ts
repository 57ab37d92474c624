import type { JsonObject, RunContext } from "../../../core/contract/index.ts";
import { type ChainState, withAnswer } from "./chain-state.ts";

type ChainContext = Pick<RunContext, "actionParameters" | "execution_id" | "context" | "packConfig">;

/** What templates of the chain's own variables know. */
export function namesOfVars({ actionParameters }: ChainContext): JsonObject {
	return withWhole(actionParameters);
}

/** What templates of parameters know. */
export function namesOfParameters(context: ChainContext, state: ChainState): JsonObject {
	const { execution_id, packConfig } = context;
	const action_context = { parent: { execution_id, ...context.context } };
	return withWhole({ ...toShared(context, state), action_context, config_context: packConfig });
}

/** What templates of what a task publishes know. @param result of the task, whose end is not recorded yet */
export function namesOfPublish(
	context: ChainContext,
	state: ChainState,
	own: { readonly name: string; readonly result: JsonObject },
): JsonObject {
	return withWhole(toShared(context, state, { [own.name]: own.result }));
}

/** Later ones win, as in the field: a chain may publish under the name of a task. */
function toShared({ actionParameters }: ChainContext, state: ChainState, own: JsonObject = {}): JsonObject {
	const last = Object.entries({ ...state.results.last(), ...own });
	const results = Object.fromEntries(last.map(([name, result]) => [name, withAnswer(result)]));
	return { ...actionParameters, ...results, ...state.variables, __results: results };
}

function withWhole(names: JsonObject): JsonObject {
	return { __context: names, ...names };
}
