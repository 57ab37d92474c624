import { type AddCommands, optionsOf, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { openSession } from "../../cli/session.ts";
import { createWebhookClient } from "./client.ts";

const hookAttributes = ["parameters.url", "type", "description", "ref", "parameters"];
const deliveryColumns = ["id", "received_at", "url", "verdict", "delivery_id", "trigger_instance_id"];
const deliveryAttributes = [...deliveryColumns, "reason", "user", "trace_tag", "headers", "query", "body"];

export const addWebhookCommands: AddCommands = (parent, context) => {
	const webhook = parent.command("webhook").description("Look at the webhooks that rules have registered, and at what came in.");

	withCommonOptions(webhook.command("list").description("List webhooks by url.")).action(async (_options, command) => {
		const options = optionsOf(command);
		const client = createWebhookClient(await openSession(options, context));
		await printList(await client.list(), ["parameters.url", "type", "description"], options, context);
	});

	withCommonOptions(webhook.command("get <urls...>").description("Show webhooks.")).action(async (urls: string[], _options, command) => {
		const options = optionsOf(command);
		const client = createWebhookClient(await openSession(options, context));
		for (const url of urls) {
			const record = await orNotFound(client.get(url), "Webhook", url, "svc webhook list");
			await printRecord(record, hookAttributes, options, context);
		}
	});

	const delivery = webhook.command("delivery").description("Deliveries to webhooks whose parameter `ledger` is true.");

	withCommonOptions(delivery.command("list").description("List deliveries, newest first."))
		.option("--hook <url>", "to this webhook")
		.option("--verdict <verdict>", "accepted, duplicate, refused, replayed or overruled; several with commas")
		.option("-n, --last <count>", "at most as many; -1 for all", toInteger)
		.action(async (_options, command) => {
			const options = optionsOf<{ hook?: string; verdict?: string; last?: number }>(command);
			const client = createWebhookClient(await openSession(options, context));
			const page = await client.deliveries({ url: options.hook, verdict: options.verdict, limit: options.last });
			await printList(page, deliveryColumns, { ...options, limitOption: "-n" }, context);
		});

	withCommonOptions(delivery.command("get <id>").description("Show a delivery with its headers, query and body.")).action(
		async (id: string, _options, command) => {
			const options = optionsOf(command);
			const client = createWebhookClient(await openSession(options, context));
			const record = await orNotFound(client.delivery(id), "Delivery", id, "svc webhook delivery list");
			await printRecord(record, deliveryAttributes, options, context);
		},
	);

	withCommonOptions(delivery.command("replay <id>").description("Dispatch the trigger of a delivery once more."))
		.option("--overrule", "also when the webhook has refused it; for administrators")
		.action(async (id: string, _options, command) => {
			const options = optionsOf<{ overrule?: boolean }>(command);
			const client = createWebhookClient(await openSession(options, context));
			const replayed = client.replay(id, { overrule: options.overrule === true });
			const record = await orNotFound(replayed, "Delivery", id, "svc webhook delivery list");
			await printRecord(record, deliveryColumns, options, context);
		});
};
