import type { Api, Waiting } from "../../client/api.ts";
import type { DefinitionFinding, DefinitionGraph } from "../../contract/index.ts";

/** Definitions of workflows. */
export interface WorkflowClient {
	/** What is wrong with the text of a definition; empty when nothing is. `runner`: default `workflow`. */
	inspect(definition: string, options?: { readonly runner?: string | undefined } & Waiting): Promise<readonly DefinitionFinding[]>;
	/** The definition of an action as a graph. */
	graph(action: string, options?: Waiting): Promise<DefinitionGraph>;
}

export function createWorkflowClient({ read }: Api): WorkflowClient {
	return {
		inspect: (text, { runner, signal } = {}) => read("/workflows/inspect", { method: "POST", text, query: { runner }, signal }),
		graph: (action, waiting) => read(`/workflows/${encodeURIComponent(action)}/graph`, waiting),
	};
}
