import type { TimersApi } from "./timers-api.ts";

/** What the engine has of this feature. */
export interface TimersFeatureApi {
	readonly timers: TimersApi;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends TimersFeatureApi {}
}
