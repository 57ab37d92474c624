import type { Command } from "commander";
import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, type CommonOptions, optionsOf, withCommonOptions } from "../../cli/commands/options.ts";
import type { CliContext } from "../../cli/context.ts";
import { printList } from "../../cli/print-records.ts";
import { Progress } from "../../cli/progress.ts";
import { openSession } from "../../cli/session.ts";
import { createPurgeClient, type PurgeClient, type PurgeRequest } from "./client.ts";

interface PurgeOptions {
	readonly timestamp: string;
	readonly actionRef?: string;
	readonly purgeIncomplete?: boolean;
	readonly dryRun?: boolean;
}

/** Names of the record kinds in the command and in the API. */
const kinds = [
	["executions", "executions", "Delete executions with their output and their children."],
	["output", "output", "Delete the output of finished executions and keep the executions."],
	["trigger-instances", "trigger_instances", "Delete processed trigger instances."],
	["rule-enforcements", "rule_enforcements", "Delete rule enforcements."],
	["webhook-deliveries", "webhook_deliveries", "Delete webhook deliveries."],
	["traces", "traces", "Delete traces without remaining records."],
	["tokens", "tokens", "Delete expired tokens."],
] as const;

export const addPurgeCommands: AddCommands = (parent, context) => {
	const purge = parent.command("purge").description("Delete old records while the service runs (administrators).");
	for (const [word, records, description] of kinds) {
		const command = withCommonOptions(purge.command(word).description(description))
			.requiredOption("--timestamp <time>", "delete records older than this time, such as 2031-03-04, 2031-03-04T10:15:02+01:00 or -30d")
			.option("--dry-run", "show the number of records without deleting them");
		if (records === "executions") addExecutionOptions(command);
		command.action(async (_options, given: Command) => run(records, optionsOf<PurgeOptions>(given), context));
	}
	withExamples(purge, {
		executions: ["svc purge executions --timestamp -90d --dry-run", "svc purge executions --timestamp 2031-03-04 --action-ref core.local"],
		output: ["svc purge output --timestamp -30d"],
		"trigger-instances": ["svc purge trigger-instances --timestamp -30d"],
		"rule-enforcements": ["svc purge rule-enforcements --timestamp -30d"],
		"webhook-deliveries": ["svc purge webhook-deliveries --timestamp -30d"],
		traces: ["svc purge traces --timestamp -90d"],
		tokens: ["svc purge tokens --timestamp -1d"],
	});
};

function addExecutionOptions(command: Command): void {
	command
		.option("--action-ref <ref>", "delete only the executions of this action")
		.option("--purge-incomplete", "delete also unfinished executions that no node runs, by their start");
}

async function run(records: string, options: PurgeOptions & CommonOptions, context: CliContext): Promise<void> {
	const { timestamp, actionRef: action_ref, purgeIncomplete: purge_incomplete, dryRun: dry_run } = options;
	const client = createPurgeClient(await openSession(options, context));
	const progress = new Progress(`purging ${records}`, context);
	const onRemoved = (count: number) => progress.update(`purging ${records}: ${count} records so far,`);
	const request = { timestamp, action_ref, purge_incomplete, dry_run };
	const totals = await purgeAll(client, records, { request, onRemoved }).finally(() => progress.stop());
	const items = [...totals].map(([kind, count]) => ({ records: kind, [dry_run ? "would_be_removed" : "removed"]: count }));
	await printList({ items, total: undefined, limit: undefined }, ["records", dry_run ? "would_be_removed" : "removed"], options, context);
}

/** Repeats purges, each of which takes about one second, until all records were checked. */
async function purgeAll(
	client: PurgeClient,
	records: string,
	{ request, onRemoved }: { readonly request: PurgeRequest; readonly onRemoved: (count: number) => void },
): Promise<ReadonlyMap<string, number>> {
	const totals = new Map<string, number>();
	for (let from: string | undefined; ; ) {
		const { removed, next } = await client.purge(records, { ...request, from });
		for (const [kind, count] of Object.entries(removed)) totals.set(kind, (totals.get(kind) ?? 0) + count);
		if (next === null) return totals;
		onRemoved([...totals.values()].reduce((total, count) => total + count, 0));
		from = next;
	}
}
