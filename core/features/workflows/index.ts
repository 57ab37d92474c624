import type { HttpFeature } from "../../http/http-feature.ts";
import { readJournal } from "../../kernel/executions/read-journal.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { createExpressions } from "../../language/expressions/expressions.ts";
import type { Access } from "../access/access-exports.ts";
import type { Actions } from "../actions/actions-exports.ts";
import type { WorkflowsApi } from "./api.ts";
import { workflowRoutes } from "./routes.ts";
import { StalledRuns } from "./stalled-runs.ts";
import { StoredWorkflows } from "./workflows.ts";

export interface WorkflowsFeature extends HttpFeature<WorkflowsApi> {
	/** Fails or resumes runs that a defect has left without activity, until the signal aborts. Returns how many runs it changed. */
	endIdle(signal: AbortSignal): Promise<number>;
}

/** Creates the feature for definitions of workflows and the progress of their runs. */
export function createWorkflowsFeature(kernel: Kernel, needs: { readonly access: Access; readonly actions: Actions }): WorkflowsFeature {
	const workflows = new StoredWorkflows({
		...kernel,
		...needs,
		// Definitions are analyzed but not run, so expressions read nothing from the datastore.
		expressions: createExpressions(kernel.dialects),
		readJournal: (executionId) => readJournal(kernel.storage, executionId),
	});
	const { workflow_engine } = kernel.options;
	const idleRuns = new StalledRuns({ ...kernel, limit: workflow_engine.gc_max_idle_sec });
	return { api: { workflows }, endIdle: (signal) => idleRuns.end(signal), routes: workflowRoutes };
}
