import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, limitOption, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { write } from "../../cli/context.ts";
import { toTablePage } from "../../cli/print-records.ts";
import type { ListPage } from "../../client/page.ts";
import { createTriggerClient, type TriggerInstanceRecord, type TriggerPart } from "./client.ts";

const attributes = ["id", "ref", "description", "payload_schema", "parameters_schema", "tags"];
const instanceColumns = ["id", "trigger_title", "occurrence_time", "status"];

interface InstanceOptions {
	readonly limit: number;
	readonly trigger?: string;
	readonly triggerType?: string;
	readonly status?: string;
	readonly timestampGt?: string;
	readonly timestampLt?: string;
}

export const addTriggerCommands: AddCommands = (parent, context) => {
	const group = parent.command("trigger").description("Manage trigger types, which describe events.");
	withNames(group, { path: "/triggertypes", name: "ref" });
	const types = new RecordCommands(group, context, {
		noun: "trigger type",
		createClient: (api) => createTriggerClient(api).types,
	});
	types
		.addList<{ pack?: string }>("List trigger types.", ["ref", "pack", "description"], (client, { pack }) => client.list({ pack }))
		.option("-p, --pack <pack>", "list the trigger types of this pack");
	types.addShow("get <refs...>", "Show trigger types.", attributes, (client, ref) => client.get(ref));
	types.addShow(
		"getspecs <refs...>",
		"Show the schemas of trigger types, for parameters and payloads.",
		["ref", "parameters_schema", "payload_schema"],
		(client, ref) => client.get(ref),
	);
	types.addChanges("trigger types", attributes);
	withExamples(group, {
		list: ["svc trigger list --pack core"],
		get: ["svc trigger get core.svc.CronTimer"],
		getspecs: ["svc trigger getspecs core.svc.webhook"],
		create: ["svc trigger create disk_full.yaml"],
		update: ["svc trigger update site.disk_full disk_full.yaml"],
		delete: ["svc trigger delete site.disk_full"],
	});
	addInstanceCommands(parent, context);
};

const addInstanceCommands: AddCommands = (parent, context) => {
	const group = parent.command("trigger-instance").description("Show trigger instances, which are events, and dispatch them again.");
	const instances = new RecordCommands(group, context, {
		noun: "trigger instance",
		createClient: (api) => createTriggerClient(api).instances,
		readNewest: (client) => client.list({ limit: 1 }),
	});

	instances
		.addList<InstanceOptions>(
			"List trigger instances, newest first.",
			instanceColumns,
			async (client, options) => toTablePage(await listInstances(client, options), options, toRow),
			"-n",
		)
		.option(...limitOption, toInteger, 50)
		.option("--trigger <ref>", "list the instances of this trigger, or of this trigger type")
		.option("--trigger-type <ref>", "list the instances of this trigger type")
		.option(
			"--status <status>",
			"list the instances with this status: pending, processing, processed or processing_failed; several separated by commas",
		)
		.option("--timestamp-gt <time>", "list the instances after this time, such as 2031-03-04T10:15:02+01:00, -1h or yesterday")
		.option("--timestamp-lt <time>", "list the instances before this time");
	const instanceAttributes = [...instanceColumns, "trigger", "trigger_type", "trace_id", "failure_reason", "payload"];
	instances.addShow("get <ids...>", "Show trigger instances with their payloads.", instanceAttributes, (client, id) => client.get(id));
	instances
		.addForEach<{ reason?: string }>("re-emit <id>", "Dispatch a trigger instance again.", async (client, id, { reason }) => {
			const answer = await client.reEmit(id, reason);
			await write(context.stdout, `${answer.message}\n${answer.id}\n`);
		})
		.option("--reason <text>", "reason, stored in the payload with the name of the user");
	withExamples(group, {
		list: ["svc trigger-instance list --trigger site.disk_full --timestamp-gt -1h"],
		get: ["svc trigger-instance get last"],
		"re-emit": ['svc trigger-instance re-emit 65f0a1b2c3d4e5f6a7b8c9d0 --reason "the rule was disabled"'],
	});
};

/** Lists events. If the option `--trigger` names a trigger type instead of a trigger, lists the events of that type. */
async function listInstances(client: TriggerPart["instances"], options: InstanceOptions): Promise<ListPage<TriggerInstanceRecord>> {
	const { limit, trigger, triggerType: trigger_type, status, timestampGt: timestamp_gt, timestampLt: timestamp_lt } = options;
	const query = { limit, trigger_type, status, timestamp_gt, timestamp_lt };
	const page = await client.list({ ...query, trigger });
	if (page.items.length > 0 || trigger === undefined || trigger_type !== undefined) return page;
	return client.list({ ...query, trigger_type: trigger });
}

/** An event without a title, which not everyone may see, shows the ref of its trigger. */
function toRow(instance: TriggerInstanceRecord): object {
	return { ...instance, trigger_title: instance.trigger_title ?? instance.trigger };
}
