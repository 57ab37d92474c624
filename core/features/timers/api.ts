import type { TimersApi } from "./timers-api.ts";

/** Services that this feature adds to the engine. */
export interface TimersFeatureApi {
	readonly timers: TimersApi;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends TimersFeatureApi {}
}
