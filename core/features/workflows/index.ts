import type { ServedFeature } from "../../http/served-feature.ts";
import { readJournal } from "../../kernel/executions/take-up.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { createExpressions } from "../../language/expressions/expressions.ts";
import type { Access } from "../access/access-api.ts";
import type { Actions } from "../actions/catalog-api.ts";
import type { WorkflowsApi } from "./api.ts";
import { workflowRoutes } from "./routes.ts";
import { StoredWorkflows } from "./workflows.ts";

/** Definitions of workflows, and how far their runs have come. */
export function createWorkflowsFeature(
	kernel: Kernel,
	needs: { readonly access: Access; readonly actions: Actions },
): ServedFeature<WorkflowsApi> {
	const workflows = new StoredWorkflows({
		...kernel,
		...needs,
		// Definitions are looked at and not run: nothing is read of the datastore.
		expressions: createExpressions(),
		readJournal: (executionId) => readJournal(kernel.storage, executionId),
	});
	return { api: { workflows }, routes: workflowRoutes };
}
