import { type AddCommands, limitOption, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { createWebhookClient } from "./client.ts";

const hookColumns = ["parameters.url", "type", "description"];
const hookAttributes = [...hookColumns, "ref", "parameters"];
const deliveryColumns = ["id", "received_at", "url", "verdict", "delivery_id", "trigger_instance_id"];
const deliveryAttributes = [...deliveryColumns, "reason", "user", "trace_tag", "headers", "query", "body"];

export const addWebhookCommands: AddCommands = (parent, context) => {
	const group = parent.command("webhook").description("Look at the webhooks that rules have registered, and at what came in.");
	const webhooks = new RecordCommands(group, context, { noun: "webhook", createClient: createWebhookClient });
	webhooks.addList("List webhooks by url.", hookColumns, (client) => client.list());
	webhooks.addShow("get <urls...>", "Show webhooks.", hookAttributes, (client, url) => client.get(url));

	const deliveryGroup = group.command("delivery").description("Deliveries to webhooks whose parameter `ledger` is true.");
	const deliveries = new RecordCommands(deliveryGroup, context, { noun: "delivery", createClient: createWebhookClient });
	deliveries
		.addList<{ hook?: string; verdict?: string; limit: number }>(
			"List deliveries, newest first.",
			deliveryColumns,
			(client, { hook: url, verdict, limit }) => client.deliveries({ url, verdict, limit }),
			"-n",
		)
		.option("--hook <url>", "to this webhook")
		.option("--verdict <verdict>", "accepted, duplicate, refused, replayed or overruled; several with commas")
		.option(...limitOption, toInteger, 50);
	deliveries.addShow("get <id>", "Show a delivery with its headers, query and body.", deliveryAttributes, (client, id) =>
		client.delivery(id),
	);
	deliveries
		.addShow<{ overrule?: boolean }>(
			"replay <id>",
			"Dispatch the trigger of a delivery once more.",
			deliveryColumns,
			(client, id, { overrule }) => client.replay(id, { overrule: overrule === true }),
		)
		.option("--overrule", "also when the webhook has refused it; for administrators");
};
