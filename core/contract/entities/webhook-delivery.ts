import type { JsonObject, JsonValue } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** A delivery to a webhook and its result. */
export interface WebhookDeliveryEntity {
	readonly id: string;
	/** Path of the webhook, without outer slashes. */
	readonly url: string;
	/** Ref of the trigger of the webhook. */
	readonly trigger: string;
	/** Ids of trigger and delivery while another delivery with this id would be a repetition. Otherwise the id of the record. */
	readonly delivery_key: string;
	/** Id that the sender gave to the delivery. */
	readonly delivery_id: string | null;
	readonly received_at: string;
	/**
	 * Decision about the delivery: `accepted`; `duplicate`, a repetition within the window; `refused`, for example for its signature;
	 * `replayed`, dispatched once more on request; `overruled`, an administrator dispatched a refused delivery.
	 */
	readonly verdict: string;
	readonly user: string;
	readonly trigger_instance_id: string | null;
	/** Reason of a refusal. */
	readonly reason: string | null;
	readonly trace_tag: string | null;
	/** Headers without credentials. */
	readonly headers: JsonObject;
	/** Query without credentials. Null in records of versions that did not store it. */
	readonly query: JsonObject | null;
	readonly body: JsonValue;
}

export const webhookDeliveryKind: EntityKindDefinition<WebhookDeliveryEntity> = {
	fields: {
		id: "text",
		url: "text",
		trigger: "text",
		delivery_key: "text",
		delivery_id: "text",
		received_at: "text",
		verdict: "text",
		user: "text",
		trigger_instance_id: "text",
		reason: "text",
		trace_tag: "text",
		headers: "json",
		body: "json",
		query: "json",
	},
	unique: [["delivery_key"]],
	indexes: [["received_at"], ["url", "received_at"], ["verdict", "received_at"], ["trigger_instance_id"]],
	timeline: "received_at",
	shareable: true,
};
