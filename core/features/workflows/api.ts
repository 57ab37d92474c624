import type { Workflows } from "./workflows-api.ts";

/** What the engine has of this feature. */
export interface WorkflowsApi {
	readonly workflows: Workflows;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends WorkflowsApi {}
}
