import type { ParameterDefinition, RunContext, Runner } from "../../core/contract/index.ts";
import { type FindRequiredLabels, forwardedMembers, forwardRunAtOnce, parseLabels } from "../../core/feature.ts";
import type { WorkerRunFollowers } from "./worker-run-followers.ts";

const parameter: ParameterDefinition = {
	type: "array",
	items: { type: "string" },
	description: "Labels of the workers that may run the action. Empty: it runs on a node of the service.",
	default: [],
	// Reserved, so that the author of an action, not its caller, decides on which machine it runs.
	reserved: true,
};

/**
 * Wraps a runner so that the action, or policies, can select workers by labels. Runs without labels are executed on this node. The decision
 * is made at the start of a run, and holds for all of it.
 */
export function routeToWorkers(
	name: string,
	runner: Runner,
	{ runs, findDemand }: { readonly runs: WorkerRunFollowers; readonly findDemand: FindRequiredLabels },
): Runner {
	const placed = new Set<string>();
	return {
		...forwardedMembers(runner),
		parameters: { ...runner.parameters, svc_worker_labels: parameter },
		capabilities: { ...runner.capabilities, recovery: true },
		async run(context) {
			const { labels, policies } = await runs.outlast(context, () => findDemand(context));
			const all = parseLabels("svc_worker_labels", [...ownLabels(context), ...labels]);
			if (all.length === 0) return runner.run(context);
			placed.add(context.liveaction_id);
			return runs.run(name, context, { labels: all, policies });
		},
		...forwardRunAtOnce(runner, async (context) => ownLabels(context).length === 0 && (await findDemand(context)).labels.length === 0),
		async recover(context, state) {
			if (state["worker"] !== true) return runner.recover?.(context, state);
			placed.add(context.liveaction_id);
			return runs.recover(context, Array.isArray(state["policies"]) ? state["policies"].map(String) : []);
		},
		async afterRun(run) {
			if (placed.delete(run.liveaction_id)) runs.forget(run.liveaction_id);
			else await runner.afterRun?.(run);
		},
	};
}

function ownLabels({ runnerParameters }: Pick<RunContext, "runnerParameters">): readonly string[] {
	return parseLabels("svc_worker_labels", runnerParameters["svc_worker_labels"] ?? []);
}
