import type { TriggersApi } from "./triggers-exports.ts";

/** Services that this feature adds to the engine. */
export interface TriggersFeatureApi {
	readonly triggers: TriggersApi;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends TriggersFeatureApi {}
}
