import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, limitOption, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { toTablePage } from "../../cli/print-records.ts";
import { createWebhookClient } from "./client.ts";

const hookColumns = ["parameters.url", "rules", "description"];
const hookAttributes = ["title", ...hookColumns, "type", "ref", "parameters"];
const deliveryColumns = ["id", "received_at", "url", "verdict", "delivery_id", "trigger_instance_id"];
const deliveryAttributes = [...deliveryColumns, "reason", "user", "trace_tag", "headers", "query", "body"];

export const addWebhookCommands: AddCommands = (parent, context) => {
	const group = parent.command("webhook").description("Show webhooks and their deliveries.");
	const webhooks = new RecordCommands(group, context, { noun: "webhook", createClient: createWebhookClient });
	webhooks.addList("List webhooks with the rules that use them, ordered by URL.", hookColumns, async (client, options) =>
		toTablePage(await client.list(), options, ({ rules, ...hook }) => ({ ...hook, rules: rules.join(", ") })),
	);
	webhooks.addShow("get <urls...>", "Show webhooks.", hookAttributes, (client, url) => client.get(url));

	const deliveryGroup = group.command("delivery").description("Manage deliveries to webhooks whose parameter `ledger` is true.");
	const deliveries = new RecordCommands(deliveryGroup, context, {
		noun: "delivery",
		createClient: createWebhookClient,
		readNewest: (client) => client.deliveries({ limit: 1 }),
	});
	deliveries
		.addList<{ hook?: string; verdict?: string; limit: number }>(
			"List deliveries, newest first.",
			deliveryColumns,
			(client, { hook: url, verdict, limit }) => client.deliveries({ url, verdict, limit }),
			"-n",
		)
		.option("--hook <url>", "list the deliveries to this webhook")
		.option(
			"--verdict <verdict>",
			"list the deliveries with this verdict: accepted, duplicate, refused, replayed or overruled; several separated by commas",
		)
		.option(...limitOption, toInteger, 50);
	deliveries.addShow("get <id>", "Show a delivery with its headers, query and body.", deliveryAttributes, (client, id) =>
		client.delivery(id),
	);
	deliveries
		.addShow<{ overrule?: boolean }>(
			"replay <id>",
			"Dispatch the trigger of a delivery again.",
			deliveryColumns,
			(client, id, { overrule }) => client.replay(id, { overrule: overrule === true }),
		)
		.option("--overrule", "dispatch even a refused delivery (administrators)");
	withExamples(deliveryGroup, {
		list: ["svc webhook delivery list --hook deploy --verdict refused"],
		get: ["svc webhook delivery get last"],
		replay: ["svc webhook delivery replay 65f0a1b2c3d4e5f6a7b8c9d0"],
	});
	withExamples(group, {
		list: ["svc webhook list"],
		get: ["svc webhook get deploy"],
	});
};
