import type { JsonObject, JsonValue } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** What came in over a webhook and what became of it. */
export interface WebhookDeliveryEntity {
	readonly id: string;
	/** Without outer slashes. */
	readonly url: string;
	/** Ref of the trigger it was for. */
	readonly trigger: string;
	/** Trigger and delivery id while a second delivery with it is a repetition; otherwise the id. */
	readonly delivery_key: string;
	/** As the sender gave it. */
	readonly delivery_id: string | null;
	readonly received_at: string;
	/** accepted, duplicate, refused … */
	readonly verdict: string;
	readonly user: string;
	readonly trigger_instance_id: string | null;
	/** Why it was refused. */
	readonly reason: string | null;
	readonly trace_tag: string | null;
	/** Without credentials. */
	readonly headers: JsonObject;
	/** Without credentials; null in deliveries that were stored before queries were. */
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
