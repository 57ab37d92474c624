import { type Runner, SvcError } from "../../contract/index.ts";
import type { FindRequiredLabels } from "./required-worker-labels-exports.ts";
import { keepMembers, keepRunAtOnce } from "./wrap-runner-exports.ts";

/** Wraps a runner whose runs no worker carries out. If a policy demands a worker for a run, the run fails instead of running on this node. */
export function wrapToRefuse(
	runner: Runner,
	{ findDemand, reason }: { readonly findDemand: FindRequiredLabels; readonly reason: string },
): Runner {
	return {
		...keepMembers(runner),
		parameters: runner.parameters,
		capabilities: runner.capabilities,
		async run(context) {
			const { labels, policies } = await findDemand(context);
			if (labels.length === 0) return runner.run(context);
			throw new SvcError("SVC_RUNNER", `policies demand a worker with the labels ${labels.join(", ")} (${policies.join(", ")}), ${reason}`);
		},
		...keepRunAtOnce(runner, async (context) => (await findDemand(context)).labels.length === 0),
		...(runner.recover !== undefined && { recover: (context, state) => runner.recover?.(context, state) ?? Promise.resolve(undefined) }),
		...(runner.afterRun !== undefined && { afterRun: async (run) => runner.afterRun?.(run) }),
	};
}
