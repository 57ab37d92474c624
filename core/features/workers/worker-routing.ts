import { type AtOnceContext, type ParameterDefinition, type RunContext, type Runner, SvcError } from "../../contract/index.ts";
import { parseLabels } from "../../kernel/basics/names.ts";
import type { FindRequiredLabels } from "../policies/required-worker-labels-exports.ts";
import type { WorkerRunFollowers } from "./worker-run-followers.ts";

const parameter: ParameterDefinition = {
	type: "array",
	items: { type: "string" },
	description: "Labels of the workers that may carry it out; empty: it runs on a node of the service.",
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
		...toShown(runner),
		parameters: { ...runner.parameters, svc_worker_labels: parameter },
		capabilities: { ...runner.capabilities, recovery: true },
		async run(context) {
			const { labels, policies } = await runs.outlast(context, () => findDemand(context));
			const all = parseLabels("svc_worker_labels", [...ownLabels(context), ...labels]);
			if (all.length === 0) return runner.run(context);
			placed.add(context.liveaction_id);
			return runs.run(name, context, { labels: all, policies });
		},
		...toAtOnce(runner, async (context) => ownLabels(context).length === 0 && (await findDemand(context)).labels.length === 0),
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

/** Wraps a runner that never uses workers. If a policy demands a worker for a run, the run fails instead of running on this node. */
export function refuseWorkers(name: string, runner: Runner, { findDemand }: { readonly findDemand: FindRequiredLabels }): Runner {
	return {
		...toShown(runner),
		parameters: runner.parameters,
		capabilities: runner.capabilities,
		async run(context) {
			const { labels, policies } = await findDemand(context);
			if (labels.length === 0) return runner.run(context);
			throw new SvcError(
				"SVC_RUNNER",
				`policies demand a worker with the labels ${labels.join(", ")} (${policies.join(", ")}), and workers are given no runs of the runner type "${name}"`,
			);
		},
		...toAtOnce(runner, async (context) => (await findDemand(context)).labels.length === 0),
		...(runner.recover !== undefined && { recover: (context, state) => runner.recover?.(context, state) ?? Promise.resolve(undefined) }),
		...(runner.afterRun !== undefined && { afterRun: async (run) => runner.afterRun?.(run) }),
	};
}

/** Returns the members of a runner that its wrapper keeps unchanged. */
function toShown(runner: Runner) {
	const { description, outputKey, entryPoint, definitions, packTools, packSensors } = runner;
	return {
		description,
		...(outputKey !== undefined && { outputKey }),
		...(entryPoint !== undefined && { entryPoint }),
		...(definitions !== undefined && { definitions }),
		...(packTools !== undefined && { packTools }),
		...(packSensors !== undefined && { packSensors }),
		...(runner.prepare !== undefined && {
			prepare: (pack: Parameters<NonNullable<Runner["prepare"]>>[0]) => runner.prepare?.(pack) ?? Promise.resolve(),
		}),
	} satisfies Partial<Runner>;
}

/** Returns `runAtOnce` of the runner, restricted to runs that need no worker. Empty if the runner has none. */
function toAtOnce(runner: Runner, isHere: (context: AtOnceContext) => Promise<boolean>): Pick<Runner, "runAtOnce"> {
	if (runner.runAtOnce === undefined) return {};
	return { runAtOnce: async (context) => ((await isHere(context)) ? runner.runAtOnce?.(context) : undefined) };
}

function ownLabels({ runnerParameters }: Pick<RunContext, "runnerParameters">): readonly string[] {
	return parseLabels("svc_worker_labels", runnerParameters["svc_worker_labels"] ?? []);
}
