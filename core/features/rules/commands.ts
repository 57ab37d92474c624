import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type AddCommands, type CommonOptions, optionsOf, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { readObject } from "../../cli/read-file.ts";
import { openSession } from "../../cli/session.ts";
import { createRuleClient, type RuleClient, type RuleRequest, type RuleTestRequest } from "./client.ts";

const columns = ["ref", "pack", "description", "enabled"];
const attributes = [
	"id",
	"ref",
	"description",
	"enabled",
	"type",
	"trigger",
	"criteria",
	"action",
	"context",
	"tags",
	"metadata_file",
	"problems",
];

interface ListOptions {
	readonly last: number;
	readonly pack?: string;
	readonly action?: string;
	readonly trigger?: string;
	readonly user?: string;
	readonly enabled?: boolean;
	readonly disabled?: boolean;
	readonly iftt?: boolean;
}

export const addRuleCommands: AddCommands = (parent, context) => {
	const rule = parent.command("rule").description("Make and manage rules: what happens when.");
	withNames(rule, { path: "/rules", name: "ref" });
	addReading(rule, context);
	addWriting(rule, context);
	addTesting(rule, context);
	addEnforcements(parent.command("rule-enforcement").description("Look at what rules did."), context);
};

function addReading(rule: Command, context: CliContext): void {
	withCommonOptions(rule.command("list").description("List rules."))
		.option("-n, --last <count>", "at most as many; -1 for all", toInteger, 50)
		.option("-p, --pack <pack>", "of this pack")
		.option("-c, --action <ref>", "that run this action")
		.option("-g, --trigger <ref>", "on this trigger or trigger type")
		.option("-u, --user <user>", "created by this user")
		.option("--enabled", "only those that are enabled")
		.option("--disabled", "only those that are not")
		.option("--iftt", "show trigger and action of each")
		.action(async (_options, command) => {
			const { last: limit, pack, action, trigger, user, ...options } = optionsOf<ListOptions>(command);
			const enabled = options.enabled ? true : options.disabled ? false : undefined;
			const page = await createRuleClient(await openSession(options, context)).list({ limit, pack, action, trigger, user, enabled });
			const shown = options.iftt ? ["ref", "trigger.type", "action.ref", "enabled"] : columns;
			const isBroken = page.items.some(({ problems }) => problems !== undefined);
			const isTable = options.json !== true && options.yaml !== true;
			const items: readonly object[] = isTable
				? page.items.map((item) => ({ ...item, problems: item.problems?.join("; ") ?? "" }))
				: page.items;
			await printList({ ...page, items }, isBroken ? [...shown, "problems"] : shown, { ...options, limitOption: "-n" }, context);
		});

	withCommonOptions(rule.command("get <refs...>").description("Show rules.")).action(
		forEach(context, async (client, ref, options) => printRecord(await client.get(ref), attributes, options, context)),
	);
}

function addWriting(rule: Command, context: CliContext): void {
	withCommonOptions(rule.command("create <file>").description("Make a rule from a JSON or YAML file.")).action(
		async (file: string, _options, command) => {
			const options = optionsOf(command);
			const input = readObject(file) as unknown as RuleRequest;
			await printRecord(await createRuleClient(await openSession(options, context)).create(input), attributes, options, context);
		},
	);

	withCommonOptions(rule.command("update <ref> <file>").description("Replace a rule by what a JSON or YAML file says.")).action(
		async (ref: string, file: string, _options, command) => {
			const options = optionsOf(command);
			const client = createRuleClient(await openSession(options, context));
			const updated = client.update(ref, readObject(file) as unknown as RuleRequest);
			await printRecord(await orNotFound(updated, "Rule", ref, "svc rule list"), attributes, options, context);
		},
	);

	withCommonOptions(rule.command("delete <refs...>").description("Delete rules.")).action(
		forEach(context, async (client, ref) => {
			await client.remove(ref);
			await write(context.stdout, `Rule ${ref} deleted\n`);
		}),
	);

	for (const [verb, enabled] of [
		["enable", true],
		["disable", false],
	] as const) {
		const description = enabled ? "Let rules act." : "Keep rules from acting.";
		withCommonOptions(rule.command(`${verb} <refs...>`).description(description)).action(
			forEach(context, async (client, ref, options) => {
				const changed = await client.update(ref, { ...(await client.get(ref)), enabled });
				await printRecord(changed, columns, options, context);
			}),
		);
	}
}

function addTesting(rule: Command, context: CliContext): void {
	withCommonOptions(
		rule
			.command("test <rule> <event>")
			.description("Say whether a rule would act on an event, and what with. Nothing is started. Exit code 0 when it matches, 1 when not.")
			.addHelpText("after", "\nrule: ref, or file with a rule. event: id of a trigger instance, or file with trigger and payload."),
	).action(async (rule: string, event: string, _options, command) => {
		const options = optionsOf(command);
		const request = { rule: toStored(rule), trigger_instance: toStored(event) } as RuleTestRequest;
		const outcome = await createRuleClient(await openSession(options, context)).test(request);
		await printRecord(outcome, ["matched", "reason", "failed", "parameters"], options, context);
		if (!outcome.matched) throw new CliExit(1, "");
	});
}

function addEnforcements(enforcement: Command, context: CliContext): void {
	withCommonOptions(enforcement.command("list").description("List enforcements, newest first."))
		.option("-n, --last <count>", "at most as many; -1 for all", toInteger, 50)
		.option("--rule <ref>", "of this rule")
		.option("--execution <id>", "that started this execution")
		.option("--trigger-instance <id>", "about this event")
		.option("--timestamp-gt <time>", "after this time, such as 2031-03-04T10:15:02+01:00, -1h or yesterday")
		.option("--timestamp-lt <time>", "before this time")
		.action(async (_options, command) => {
			const options = optionsOf<
				Record<"rule" | "execution" | "triggerInstance" | "timestampGt" | "timestampLt", string | undefined> & { last: number }
			>(command);
			const page = await createRuleClient(await openSession(options, context)).enforcements({
				limit: options.last,
				rule_ref: options.rule,
				execution: options.execution,
				trigger_instance: options.triggerInstance,
				enforced_at_gt: options.timestampGt,
				enforced_at_lt: options.timestampLt,
			});
			const shown = ["id", "rule.ref", "trigger_instance_id", "execution_id", "enforced_at"];
			await printList(page, shown, { ...options, limitOption: "-n" }, context);
		});

	withCommonOptions(enforcement.command("get <ids...>").description("Show enforcements.")).action(
		async (ids: string[], _options, command) => {
			const options = optionsOf(command);
			const client = createRuleClient(await openSession(options, context));
			const shown = ["id", "rule.ref", "trigger_instance_id", "execution_id", "status", "failure_reason", "enforced_at"];
			for (const id of ids) {
				const record = await orNotFound(client.enforcement(id), "Rule enforcement", id, "svc rule-enforcement list");
				await printRecord(record, shown, options, context);
			}
		},
	);
}

/**
 * Returns the contents of the file with that name. If no such file exists, returns the argument unchanged, as the ref or id of a stored
 * record.
 */
function toStored(text: string) {
	return existsSync(text) ? readObject(text) : text;
}

/** Returns the action of a command that takes one or more rules. */
function forEach(context: CliContext, act: (client: RuleClient, ref: string, options: CommonOptions) => Promise<void>) {
	return async (refs: string[], _options: unknown, command: Command) => {
		const options = optionsOf(command);
		const client = createRuleClient(await openSession(options, context));
		for (const ref of refs) await orNotFound(act(client, ref, options), "Rule", ref, "svc rule list");
	};
}
