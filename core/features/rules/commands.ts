import { existsSync } from "node:fs";
import { type AddCommands, limitOption, toInteger } from "../../cli/commands/options.ts";
import { RecordCommands } from "../../cli/commands/record-commands.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit } from "../../cli/context.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { readObject } from "../../cli/read-file.ts";
import { createRuleClient, type RuleClient, type RuleTestRequest } from "./client.ts";

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
	const group = parent.command("rule").description("Make and manage rules: what happens when.");
	withNames(group, { path: "/rules", name: "ref" });
	const rules = new RecordCommands(group, context, { noun: "rule", createClient: createRuleClient });
	addListing(rules, context);
	rules.addShow("get <refs...>", "Show rules.", attributes, (client, ref) => client.get(ref));
	rules.addChanges("rules", attributes);
	rules.addSwitches("<refs...>", { enable: "Let rules act.", disable: "Keep rules from acting." }, columns, async (client, ref, enabled) =>
		client.update(ref, { ...(await client.get(ref)), enabled }),
	);
	addTesting(rules, context);
	addEnforcementCommands(parent, context);
};

function addListing(rules: RecordCommands<RuleClient>, context: CliContext): void {
	rules
		.addRun<ListOptions>("list", "List rules.", async (open, { limit, pack, action, trigger, user, ...options }) => {
			const enabled = options.enabled ? true : options.disabled ? false : undefined;
			const page = await (await open()).list({ limit, pack, action, trigger, user, enabled });
			const shown = options.iftt ? ["ref", "trigger.type", "action.ref", "enabled"] : columns;
			const isBroken = page.items.some(({ problems }) => problems !== undefined);
			const isTable = options.json !== true && options.yaml !== true;
			const items: readonly object[] = isTable
				? page.items.map((item) => ({ ...item, problems: item.problems?.join("; ") ?? "" }))
				: page.items;
			await printList({ ...page, items }, isBroken ? [...shown, "problems"] : shown, { ...options, limitOption: "-n" }, context);
		})
		.option(...limitOption, toInteger, 50)
		.option("-p, --pack <pack>", "of this pack")
		.option("-c, --action <ref>", "that run this action")
		.option("-g, --trigger <ref>", "on this trigger or trigger type")
		.option("-u, --user <user>", "created by this user")
		.option("--enabled", "only those that are enabled")
		.option("--disabled", "only those that are not")
		.option("--iftt", "show trigger and action of each");
}

function addTesting(rules: RecordCommands<RuleClient>, context: CliContext): void {
	rules
		.addRun<object, [rule: string, event: string]>(
			"test <rule> <event>",
			"Say whether a rule would act on an event, and what with. Nothing is started. Exit code 0 when it matches, 1 when not.",
			async (open, options, rule, event) => {
				const request = { rule: toStored(rule), trigger_instance: toStored(event) } as RuleTestRequest;
				const outcome = await (await open()).test(request);
				await printRecord(outcome, ["matched", "reason", "failed", "parameters"], options, context);
				if (!outcome.matched) throw new CliExit(1, "");
			},
		)
		.addHelpText("after", "\nrule: ref, or file with a rule. event: id of a trigger instance, or file with trigger and payload.");
}

const addEnforcementCommands: AddCommands = (parent, context) => {
	const group = parent.command("rule-enforcement").description("Look at what rules did.");
	const enforcements = new RecordCommands(group, context, { noun: "rule enforcement", createClient: createRuleClient });

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
		.option("--rule <ref>", "of this rule")
		.option("--execution <id>", "that started this execution")
		.option("--trigger-instance <id>", "about this event")
		.option("--timestamp-gt <time>", "after this time, such as 2031-03-04T10:15:02+01:00, -1h or yesterday")
		.option("--timestamp-lt <time>", "before this time");
	enforcements.addShow("get <ids...>", "Show enforcements.", enforcementAttributes, (client, id) => client.enforcement(id));
};

/**
 * Returns the contents of the file with that name. If no such file exists, returns the argument unchanged, as the ref or id of a stored
 * record.
 */
function toStored(text: string) {
	return existsSync(text) ? readObject(text) : text;
}
