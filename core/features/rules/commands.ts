import { existsSync } from "node:fs";
import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, limitOption, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit } from "../../cli/context.ts";
import { printList, printRecord, toTablePage } from "../../cli/print-records.ts";
import { readObject } from "../../cli/read-file.ts";
import { createRuleClient, type RuleClient, type RuleRecord, type RuleTestRequest } from "./client.ts";

const columns = ["ref", "pack", "description", "enabled"];
const attributes = [
	...["id", "ref", "description", "enabled", "type", "trigger", "criteria", "action", "context", "tags", "metadata_file", "problems"],
];

interface ListOptions {
	readonly limit: number;
	readonly pack?: string;
	readonly action?: string;
	readonly trigger?: string;
	readonly user?: string;
	readonly enabled?: boolean;
	readonly disabled?: boolean;
	readonly iftt?: boolean;
}

const enforcementColumns = ["id", "rule.ref", "trigger_instance_id", "execution_id", "enforced_at"];
const enforcementAttributes = ["id", "rule.ref", "trigger_instance_id", "execution_id", "status", "failure_reason", "enforced_at"];

interface EnforcementOptions {
	readonly limit: number;
	readonly rule?: string;
	readonly execution?: string;
	readonly triggerInstance?: string;
	readonly timestampGt?: string;
	readonly timestampLt?: string;
}

export const addRuleCommands: AddCommands = (parent, context) => {
	const group = parent.command("rule").description("Manage rules, which run actions on events.");
	withNames(group, { path: "/rules", name: "ref" });
	const rules = new RecordCommands(group, context, { noun: "rule", createClient: createRuleClient });
	addListing(rules, context);
	rules.addShow("get <refs...>", "Show rules.", attributes, (client, ref) => client.get(ref));
	rules.addChanges("rules", attributes);
	rules.addSwitches("<refs...>", { enable: "Enable rules.", disable: "Disable rules." }, columns, async (client, ref, enabled) =>
		client.update(ref, { ...(await client.get(ref)), enabled }),
	);
	addTesting(rules, context);
	withExamples(group, {
		list: ["svc rule list --pack site --enabled", "svc rule list --iftt"],
		get: ["svc rule get site.on_disk_full"],
		create: ["svc rule create on_disk_full.yaml"],
		update: ["svc rule update site.on_disk_full on_disk_full.yaml"],
		delete: ["svc rule delete site.on_disk_full"],
		enable: ["svc rule enable site.on_disk_full"],
		disable: ["svc rule disable site.on_disk_full"],
		test: ["svc rule test on_disk_full.yaml event.yaml", "svc rule test site.on_disk_full 65f0a1b2c3d4e5f6a7b8c9d0"],
	});
	addEnforcementCommands(parent, context);
};

function addListing(rules: RecordCommands<RuleClient>, context: CliContext): void {
	rules
		.addRun<ListOptions>("list", "List rules.", async (open, { limit, pack, action, trigger, user, ...options }) => {
			const enabled = options.enabled ? true : options.disabled ? false : undefined;
			const page = await (await open()).list({ limit, pack, action, trigger, user, enabled });
			const shown = options.iftt ? ["ref", "trigger.title", "action.ref", "enabled"] : columns;
			const isBroken = page.items.some(({ problems }) => problems !== undefined);
			await printList(
				toTablePage(page, options, toRow),
				isBroken ? [...shown, "problems"] : shown,
				{ ...options, limitOption: "-n" },
				context,
			);
		})
		.option(...limitOption, toInteger, 50)
		.option("-p, --pack <pack>", "list the rules of this pack")
		.option("-c, --action <ref>", "list the rules that run this action")
		.option("-g, --trigger <ref>", "list the rules of this trigger or trigger type")
		.option("-u, --user <user>", "list the rules created by this user")
		.option("--enabled", "list only enabled rules")
		.option("--disabled", "list only disabled rules")
		.option("--iftt", "show the trigger and the action of each rule");
}

/** A rule whose trigger has been deleted shows the type of the trigger instead of a title. */
function toRow({ trigger, problems, ...rule }: RuleRecord): object {
	return { ...rule, trigger: { ...trigger, title: trigger.title ?? trigger.type }, problems: problems?.join("; ") ?? "" };
}

function addTesting(rules: RecordCommands<RuleClient>, context: CliContext): void {
	rules
		.addRun<object, [rule: string, event: string]>(
			"test <rule> <event>",
			"Test a rule against an event without running its action. The exit code is 0 if the rule matches, otherwise 1.",
			async (open, options, rule, event) => {
				const request = { rule: toStored(rule), trigger_instance: toStored(event) } as RuleTestRequest;
				const outcome = await (await open()).test(request);
				await printRecord(outcome, ["matched", "reason", "failed", "parameters"], options, context);
				if (!outcome.matched) throw new CliExit(1, "");
			},
		)
		.addHelpText(
			"after",
			"\nThe rule is a ref, or a file with a rule. The event is the id of a trigger instance, or a file with trigger and payload.",
		);
}

const addEnforcementCommands: AddCommands = (parent, context) => {
	const group = parent.command("rule-enforcement").description("Show enforcements, which record the matches of rules.");
	const enforcements = new RecordCommands(group, context, {
		noun: "rule enforcement",
		createClient: createRuleClient,
		readNewest: (client) => client.enforcements({ limit: 1 }),
	});

	enforcements
		.addList<EnforcementOptions>(
			"List enforcements, newest first.",
			enforcementColumns,
			(client, { limit, rule: rule_ref, execution, triggerInstance, timestampGt, timestampLt }) =>
				client.enforcements({
					...{ limit, rule_ref, execution, trigger_instance: triggerInstance },
					...{ enforced_at_gt: timestampGt, enforced_at_lt: timestampLt },
				}),
			"-n",
		)
		.option(...limitOption, toInteger, 50)
		.option("--rule <ref>", "list the enforcements of this rule")
		.option("--execution <id>", "list the enforcement that started this execution")
		.option("--trigger-instance <id>", "list the enforcements of this trigger instance")
		.option("--timestamp-gt <time>", "list the enforcements after this time, such as 2031-03-04T10:15:02+01:00, -1h or yesterday")
		.option("--timestamp-lt <time>", "list the enforcements before this time");
	enforcements.addShow("get <ids...>", "Show enforcements.", enforcementAttributes, (client, id) => client.enforcement(id));
	withExamples(group, {
		list: ["svc rule-enforcement list --rule site.on_disk_full"],
		get: ["svc rule-enforcement get last"],
	});
};

/**
 * Returns the contents of the file with that name. If no such file exists, returns the argument unchanged, as the ref or id of a stored
 * record.
 */
function toStored(text: string) {
	return existsSync(text) ? readObject(text) : text;
}
