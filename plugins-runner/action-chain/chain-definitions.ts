import type { Definitions, JsonObject, RunProgress } from "../../core/contract/index.ts";
import { graph, inspect } from "./large-chains.ts";
import { replay } from "./run/begin.ts";
import { toTaskState } from "./run/chain-state.ts";
import { toChainEntries } from "./run/entries.ts";

/** What may be known of chains without running them. */
export const chainDefinitions: Definitions = {
	inspect,
	graph,
	progress: toProgress,
};

/** What was published by a copy of a result is not known here, and null. */
function toProgress(entries: readonly JsonObject[]): RunProgress {
	if (entries.length === 0) return { definition: null, tasks: [], variables: {}, errors: [] };
	const state = replay(toChainEntries(entries));
	const refused = [...state.refusals].map(([task_id, message]) => ({ type: "error", task_id, message }));
	const failure = state.failure === undefined ? [] : [{ type: "error", message: state.failure }];
	return {
		definition: state.chain.text,
		tasks: state.laps.map((lap) => toTaskState(lap, state)),
		variables: state.variables,
		errors: [...refused, ...failure],
	};
}
