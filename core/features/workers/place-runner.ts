import type { ParameterDefinition, RunContext, Runner } from "../../contract/index.ts";
import { toLabels } from "./labels.ts";
import type { PlacedRuns } from "./placed-runs.ts";

const parameter: ParameterDefinition = {
	type: "array",
	items: { type: "string" },
	description: "Labels of the workers that may carry it out; empty: it runs on a node of the service.",
	default: [],
	// Where something runs is for whoever writes the action.
	reserved: true,
};

/** A runner whose actions may say which workers carry them out; those that do not run here, as before. */
export function placeRunner(name: string, runner: Runner, runs: PlacedRuns): Runner {
	const { description, capabilities, outputKey, entryPoint, definitions, packTools, packSensors } = runner;
	const labelsOf = ({ runnerParameters }: RunContext) => toLabels("worker_labels", runnerParameters["worker_labels"] ?? []);
	const placed = new Set<string>();
	return {
		description,
		parameters: { ...runner.parameters, worker_labels: parameter },
		capabilities: { ...capabilities, recovery: true },
		...(outputKey !== undefined && { outputKey }),
		...(entryPoint !== undefined && { entryPoint }),
		...(definitions !== undefined && { definitions }),
		...(packTools !== undefined && { packTools }),
		...(packSensors !== undefined && { packSensors }),
		async run(context) {
			const labels = labelsOf(context);
			if (labels.length === 0) return runner.run(context);
			placed.add(context.liveaction_id);
			return runs.run(name, context, labels);
		},
		async recover(context, state) {
			if (state["worker"] !== true) return runner.recover?.(context, state);
			placed.add(context.liveaction_id);
			return runs.recover(name, context, labelsOf(context));
		},
		async afterRun(run) {
			if (placed.delete(run.liveaction_id)) await runs.forget(run.liveaction_id);
			else await runner.afterRun?.(run);
		},
		...(runner.prepare !== undefined && { prepare: (pack) => runner.prepare?.(pack) ?? Promise.resolve() }),
	};
}
