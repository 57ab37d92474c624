import type { Workflows } from "./workflows-exports.ts";

/** Services that this feature adds to the engine. */
export interface WorkflowsApi {
	readonly workflows: Workflows;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends WorkflowsApi {}
}
