import type { Webhooks } from "./webhooks-exports.ts";

/** Services that this feature adds to the engine. */
export interface WebhooksApi {
	readonly webhooks: Webhooks;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends WebhooksApi {}
}
