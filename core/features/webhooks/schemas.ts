import { webhookDeliveryKind } from "../../contract/entities/webhook-delivery.ts";
import { defineSchema, fieldsOf, jsonValue, object } from "../../http/openapi/schema.ts";
import { triggerExample, triggerMembers } from "../triggers/schemas-api.ts";

/** A webhook in a response. */
export const webhookSchema = defineSchema("Webhook", object(triggerMembers), { ...triggerExample, uid: "webhook:disk/full" });

const optional = ["delivery_id", "trigger_instance_id", "reason", "trace_tag", "headers", "query", "body"] as const;

/**
 * A kept delivery in a response. Members that are null are left out.
 * Headers, query and body are included only for callers with the permission to view the webhook.
 */
export const deliverySchema = defineSchema(
	"WebhookDelivery",
	object(
		{ ...fieldsOf(webhookDeliveryKind, ["id", "url", "trigger", "received_at", "verdict", "user", ...optional]), body: jsonValue },
		optional,
	),
	{
		id: "66a1e0019d3e4b7a51c00080",
		url: "disk/full",
		trigger: "core.hook",
		received_at: "2031-03-04T09:15:02.418273Z",
		verdict: "accepted",
		user: "maria",
		trigger_instance_id: "66a1e0019d3e4b7a51c00032",
	},
);
