import type { ApiClient, CallOptions } from "../../client/api-client.ts";
import type { DefinitionFinding, DefinitionGraph } from "../../contract/index.ts";

/** Client for definitions of workflows. */
export interface WorkflowClient {
	/** Returns the problems of a definition; an empty list if there are none. `runner` defaults to `workflow`. */
	inspect(definition: string, options?: { readonly runner?: string | undefined } & CallOptions): Promise<readonly DefinitionFinding[]>;
	/** Returns the definition of an action as a graph. */
	graph(action: string, options?: CallOptions): Promise<DefinitionGraph>;
}

export function createWorkflowClient({ read }: ApiClient): WorkflowClient {
	return {
		inspect: (text, { runner, signal } = {}) => read("/workflows/inspect", { method: "POST", text, query: { runner }, signal }),
		graph: (action, waiting) => read(`/workflows/${encodeURIComponent(action)}/graph`, waiting),
	};
}
