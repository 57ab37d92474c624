import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "../access/access-exports.ts";
import type { DatastoreItems } from "../datastore/items-exports.ts";
import type { WebhooksApi } from "./api.ts";
import { createHookIndex } from "./hook-index.ts";
import { webhookRoutes } from "./routes.ts";
import { createWebhookType } from "./webhook-type.ts";
import { ReceivedWebhooks } from "./webhooks.ts";

/** Creates the feature for events that external senders post. */
export function createWebhooksFeature(
	kernel: Kernel,
	{ access, datastore }: { readonly access: Access; readonly datastore: DatastoreItems },
): HttpFeature<WebhooksApi> {
	const readSecret = (name: string) =>
		datastore.clearAccessFor(kernel.options.system_user.user, "webhook signature").lookup("system", name);
	return {
		api: { webhooks: new ReceivedWebhooks({ ...kernel, access, readSecret, hooks: createHookIndex(kernel) }) },
		triggerTypes: [createWebhookType(access)],
		routes: webhookRoutes,
	};
}
