import {
	type Clock,
	defineRunner,
	type ParameterDefinitions,
	type RunContext,
	type RunResult,
	type WorkflowDefinitionSupport,
} from "../../core/contract/index.ts";
import { runDefinitionCases } from "./cases/run-definition-cases.ts";
import { assertCanRerun, hasHeldWork, readProgress } from "./conductor/progress.ts";
import { toConductorEntries } from "./run/batch-entries.ts";
import { WorkflowRun } from "./run/workflow-run.ts";
import { beginWorkflow } from "./run/workflow-start.ts";
import { graph, inspect } from "./workflow-definitions.ts";

const parameters = {
	notify: {
		type: "array",
		items: { type: "string" },
		default: [],
		description: "Names of tasks that send the same notifications as the workflow (`notify`).",
	},
	svc_timeout: { type: "integer", minimum: 1, description: "Seconds after which the workflow is ended. Default: no limit." },
} as const satisfies ParameterDefinitions;

/** Runs actions that consist of other actions, as described by a definition in YAML. */
export const workflow = defineRunner("workflow", () => {
	let clock: Clock = { now: () => Date.now() * 1_000 };
	const perform = async (context: RunContext): Promise<RunResult> => {
		const beginning = await beginWorkflow(context);
		if ("refused" in beginning) return beginning.refused;
		return new WorkflowRun(context, beginning.conductor, clock).perform(beginning.first);
	};
	return {
		description: "Runs a workflow: tasks that run actions, in the order defined in YAML.",
		parameters,
		capabilities: { streaming: true, cancellation: true, recovery: true, workflow: true },
		entryPoint: "required",
		outputKey: "output",
		definitions: workflowDefinitions,
		async start(context) {
			clock = context.clock;
		},
		run: perform,
		recover: perform,
	};
});

/** Inspects and tests workflow definitions and journals, without running them. */
export const workflowDefinitions: WorkflowDefinitionSupport = {
	inspect,
	graph,
	progress: (entries) => readProgress(toConductorEntries(entries)),
	hasHeldWork: (entries) => hasHeldWork(toConductorEntries(entries)),
	assertTakenUp: (entries, tasks, reset) => assertCanRerun(toConductorEntries(entries), tasks, reset),
	test: runDefinitionCases,
};
