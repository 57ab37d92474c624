import type { Actions, RunnerTypes } from "./actions-exports.ts";

/** Services that this feature adds to the engine. */
export interface ActionsApi {
	readonly actions: Actions;
	readonly runnerTypes: RunnerTypes;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends ActionsApi {}
}
