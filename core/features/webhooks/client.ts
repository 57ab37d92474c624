import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { JsonObject, JsonValue } from "../../contract/index.ts";
import type { TriggerRecord } from "../triggers/client-exports.ts";

/** A webhook that a rule has registered. */
export interface WebhookRecord extends TriggerRecord {
	/** Refs of the rules that use the webhook and that the caller may view. */
	readonly rules: readonly string[];
}

/** A delivery stored by a hook with `ledger`, or accepted by one with `deduplicate`. Lists leave out headers, query and body. */
export interface WebhookDeliveryRecord {
	readonly id: string;
	readonly url: string;
	readonly trigger: string;
	readonly delivery_id?: string;
	readonly received_at: string;
	readonly verdict: string;
	readonly reason?: string;
	readonly trace_tag?: string;
	readonly user: string;
	readonly trigger_instance_id?: string;
	readonly headers?: JsonObject;
	readonly query?: JsonObject;
	readonly body?: JsonValue;
}

/** Client for the webhooks of a service and their deliveries. */
export interface WebhookClient {
	list(): Promise<ListPage<WebhookRecord>>;
	get(url: string): Promise<WebhookRecord>;
	/** Returns stored deliveries, newest first. */
	deliveries(query?: ListQuery): Promise<ListPage<WebhookDeliveryRecord>>;
	delivery(id: string): Promise<WebhookDeliveryRecord>;
	/**
	 * Dispatches a stored delivery once more and returns the new entry. A refused delivery is dispatched only if an administrator sets
	 * `overrule`.
	 */
	replay(id: string, options?: { readonly overrule?: boolean }): Promise<WebhookDeliveryRecord>;
}

export function createWebhookClient({ read, list }: ApiClient): WebhookClient {
	const at = encodeURIComponent;
	return {
		list: () => list("/webhooks"),
		// Slashes are part of the URL.
		get: (url) => read(`/webhooks/${url.split("/").map(at).join("/")}`),
		deliveries: (query) => list("/webhook_deliveries", query),
		delivery: (id) => read(`/webhook_deliveries/${at(id)}`),
		replay: (id, { overrule } = {}) =>
			read(`/webhook_deliveries/${at(id)}/replay`, { method: "POST", ...(overrule === true && { query: { overrule } }) }),
	};
}
