import type { TimersApi } from "./timers-exports.ts";

/** Services that this feature adds to the engine. */
export interface TimersFeatureApi {
	readonly timers: TimersApi;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends TimersFeatureApi {}
}
