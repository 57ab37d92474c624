import { type AtOnceContext, type Runner, SvcError } from "../../contract/index.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { FindRequiredLabels } from "./required-worker-labels-exports.ts";

/** Returns the members of a runner that every wrapper passes on: all but parameters, capabilities, and the functions of a run. */
export function forwardedMembers(runner: Runner) {
	const { description, outputKey, entryPoint, definitions, packTools, packSensors } = runner;
	return {
		description,
		...withoutUndefined({ outputKey, entryPoint, definitions, packTools, packSensors }),
		...(runner.prepare !== undefined && {
			prepare: (pack: Parameters<NonNullable<Runner["prepare"]>>[0]) => runner.prepare?.(pack) ?? Promise.resolve(),
		}),
	} satisfies Partial<Runner>;
}

/**
 * Returns `runAtOnce` of the runner for runs for which `isHere` returns true. All others start in the usual way, by `run`. Empty if the
 * runner has no `runAtOnce`.
 */
export function forwardRunAtOnce(runner: Runner, isHere: (context: AtOnceContext) => Promise<boolean>): Pick<Runner, "runAtOnce"> {
	if (runner.runAtOnce === undefined) return {};
	return { runAtOnce: async (context) => ((await isHere(context)) ? runner.runAtOnce?.(context) : undefined) };
}

/**
 * Wraps a runner whose runs no worker carries out. If a policy demands a worker for a run, the run fails at its start instead of running on
 * this node. A run that has started is recovered without another decision.
 */
export function rejectRunsRequiringWorker(
	runner: Runner,
	{ findDemand, reason }: { readonly findDemand: FindRequiredLabels; readonly reason: string },
): Runner {
	return {
		...forwardedMembers(runner),
		parameters: runner.parameters,
		capabilities: runner.capabilities,
		async run(context) {
			const { labels, policies } = await findDemand(context);
			if (labels.length === 0) return runner.run(context);
			throw new SvcError(
				"SVC_RUNNER",
				`policies require a worker with the labels ${labels.join(", ")} (${policies.join(", ")}), ${reason}`,
			);
		},
		...forwardRunAtOnce(runner, async (context) => (await findDemand(context)).labels.length === 0),
		...(runner.recover !== undefined && { recover: (context, state) => runner.recover?.(context, state) ?? Promise.resolve(undefined) }),
		...(runner.afterRun !== undefined && { afterRun: async (run) => runner.afterRun?.(run) }),
	};
}
