import type { Actions, RunnerTypes } from "./catalog-api.ts";

/** What the engine has of this feature. */
export interface ActionsApi {
	readonly actions: Actions;
	readonly runnerTypes: RunnerTypes;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends ActionsApi {}
}
