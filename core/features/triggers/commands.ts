import type { Command } from "commander";
import { type AddCommands, optionsOf, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { readObject } from "../../cli/read-file.ts";
import { openSession } from "../../cli/session.ts";
import { createTriggerClient, type TriggerTypeRequest } from "./client.ts";

const attributes = ["id", "ref", "description", "payload_schema", "parameters_schema", "tags"];
const instanceColumns = ["id", "trigger", "occurrence_time", "status"];

interface InstanceOptions {
	readonly last: number;
	readonly trigger?: string;
	readonly triggerType?: string;
	readonly status?: string;
	readonly timestampGt?: string;
	readonly timestampLt?: string;
}

export const addTriggerCommands: AddCommands = (parent, context) => {
	const trigger = parent.command("trigger").description("Make and manage kinds of events.");
	withNames(trigger, { path: "/triggertypes", name: "ref" });
	addTypes(trigger, context);
	addTypeChanges(trigger, context);
	addInstances(parent.command("trigger-instance").description("Look at events, and dispatch them again."), context);
};

function addTypes(trigger: Command, context: CliContext): void {
	withCommonOptions(trigger.command("list").description("List trigger types."))
		.option("-p, --pack <pack>", "of this pack")
		.action(async (_options, command) => {
			const options = optionsOf<{ pack?: string }>(command);
			const page = await createTriggerClient(await openSession(options, context)).types.list({ pack: options.pack });
			await printList(page, ["ref", "pack", "description"], options, context);
		});

	for (const [verb, description, shown] of [
		["get", "Show trigger types.", attributes],
		["getspecs", "Show what trigger types take and what their events hold.", ["ref", "parameters_schema", "payload_schema"]],
	] as const) {
		withCommonOptions(trigger.command(`${verb} <refs...>`).description(description)).action(async (refs: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createTriggerClient(await openSession(options, context));
			for (const ref of refs) {
				const record = await orNotFound(client.types.get(ref), "Trigger type", ref, "svc trigger list");
				await printRecord(record, shown, options, context);
			}
		});
	}
}

function addTypeChanges(trigger: Command, context: CliContext): void {
	withCommonOptions(trigger.command("create <file>").description("Make a trigger type from a JSON or YAML file.")).action(
		async (file: string, _options, command) => {
			const options = optionsOf(command);
			const input = readObject(file) as unknown as TriggerTypeRequest;
			await printRecord(await createTriggerClient(await openSession(options, context)).types.create(input), attributes, options, context);
		},
	);

	withCommonOptions(trigger.command("update <ref> <file>").description("Replace a trigger type by what a JSON or YAML file says.")).action(
		async (ref: string, file: string, _options, command) => {
			const options = optionsOf(command);
			const client = createTriggerClient(await openSession(options, context));
			const updated = client.types.update(ref, readObject(file) as unknown as TriggerTypeRequest);
			await printRecord(await orNotFound(updated, "Trigger type", ref, "svc trigger list"), attributes, options, context);
		},
	);

	withCommonOptions(trigger.command("delete <refs...>").description("Delete trigger types.")).action(
		async (refs: string[], _options, command) => {
			const client = createTriggerClient(await openSession(optionsOf(command), context));
			for (const ref of refs) {
				await orNotFound(client.types.remove(ref), "Trigger type", ref, "svc trigger list");
				await write(context.stdout, `Trigger type ${ref} deleted\n`);
			}
		},
	);
}

function addInstances(instance: Command, context: CliContext): void {
	withCommonOptions(instance.command("list").description("List events, newest first."))
		.option("-n, --last <count>", "at most as many; -1 for all", toInteger, 50)
		.option("--trigger <ref>", "of this trigger")
		.option("--trigger-type <ref>", "of this trigger type")
		.option("--status <status>", "pending, processing, processed or processing_failed; several with commas")
		.option("--timestamp-gt <time>", "after this time, such as 2031-03-04T10:15:02+01:00, -1h or yesterday")
		.option("--timestamp-lt <time>", "before this time")
		.action(async (_options, command) => {
			const options = optionsOf<InstanceOptions>(command);
			const page = await createTriggerClient(await openSession(options, context)).instances.list({
				limit: options.last,
				trigger: options.trigger,
				trigger_type: options.triggerType,
				status: options.status,
				timestamp_gt: options.timestampGt,
				timestamp_lt: options.timestampLt,
			});
			await printList(page, instanceColumns, { ...options, limitOption: "-n" }, context);
		});

	withCommonOptions(instance.command("get <ids...>").description("Show events with their payloads.")).action(
		async (ids: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createTriggerClient(await openSession(options, context));
			for (const id of ids) {
				const record = await orNotFound(client.instances.get(id), "Trigger instance", id, "svc trigger-instance list");
				await printRecord(record, [...instanceColumns, "trigger_type", "trace_id", "failure_reason", "payload"], options, context);
			}
		},
	);

	withCommonOptions(instance.command("re-emit <id>").description("Dispatch an event once more."))
		.option("--reason <text>", "why, kept in the payload with the name of who asks for it")
		.action(async (id: string, _options, command) => {
			const options = optionsOf<{ reason?: string }>(command);
			const client = createTriggerClient(await openSession(options, context));
			const answer = await orNotFound(client.instances.reEmit(id, options.reason), "Trigger instance", id, "svc trigger-instance list");
			await write(context.stdout, `${answer.message}\n${answer.id}\n`);
		});
}
