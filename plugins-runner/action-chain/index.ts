import {
	type Clock,
	defineRunner,
	type JsonObject,
	type RunContext,
	type RunProgress,
	type RunResult,
	type WorkflowDefinitionSupport,
} from "../../core/contract/index.ts";
import { graph, inspect } from "./chain-definitions.ts";
import { type ChainParameters, parameters } from "./parameters.ts";
import { toChainEntries } from "./run/chain-entries.ts";
import { ChainRun } from "./run/chain-run.ts";
import { beginChain, replay } from "./run/chain-start.ts";
import { toTaskState } from "./run/chain-state.ts";

/**
 * Runner of chains of actions. A chain runs one action at a time, and each action may have one successor after success and another after
 * failure.
 */
export const actionChain = defineRunner("action-chain", () => {
	let clock: Clock = { now: () => Date.now() * 1_000 };
	const perform = async (context: RunContext<ChainParameters>): Promise<RunResult> => {
		const beginning = await beginChain(context);
		return "refused" in beginning ? beginning.refused : new ChainRun(context, beginning.state, clock).perform();
	};
	return {
		description: "Runs a chain: a sequence of actions, defined in YAML.",
		parameters,
		capabilities: { streaming: true, cancellation: true, recovery: true, workflow: true },
		entryPoint: "required",
		outputKey: "published",
		definitions: chainDefinitions,
		async start(context) {
			clock = context.clock;
		},
		run: perform,
		recover: perform,
	};
});

/** Checks, graph and progress of chains, available without running them. */
export const chainDefinitions: WorkflowDefinitionSupport = {
	inspect,
	graph,
	progress: toProgress,
};

/**
 * Computes the progress of a run from its journal. A value that was published by reference to a task's result is null, because results are
 * not loaded.
 */
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
