import type { TriggersApi } from "./triggers-api.ts";

/** What the engine has of this feature. */
export interface TriggersFeatureApi {
	readonly triggers: TriggersApi;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends TriggersFeatureApi {}
}
