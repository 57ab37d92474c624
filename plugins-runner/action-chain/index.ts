import { type Clock, defineRunner, type RunContext, type RunResult } from "../../core/contract/index.ts";
import { chainDefinitions } from "./chain-definitions.ts";
import { type ChainParameters, parameters } from "./parameters.ts";
import { beginChain } from "./run/begin.ts";
import { ChainRun } from "./run/chain-run.ts";

/** Runs actions that are chains of actions: one after the other, and for each what comes after a success and what after a failure. */
export const actionChain = defineRunner("action-chain", () => {
	let clock: Clock = { now: () => Date.now() * 1_000 };
	const perform = async (context: RunContext<ChainParameters>): Promise<RunResult> => {
		const beginning = await beginChain(context);
		return "refused" in beginning ? beginning.refused : new ChainRun(context, beginning.state, clock).perform();
	};
	return {
		description: "Runs a chain: one action after the other, as a definition in YAML says.",
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
