import type { Webhooks } from "./webhooks-api.ts";

/** What the engine has of this feature. */
export interface WebhooksApi {
	readonly webhooks: Webhooks;
}

declare module "../../kernel/engine-api.ts" {
	interface Engine extends WebhooksApi {}
}
