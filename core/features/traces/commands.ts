import { Option } from "commander";
import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, type CommonOptions, limitOption, optionsOf, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord, toIncluded } from "../../cli/print-records.ts";
import { openSession } from "../../cli/session.ts";
import { escapeControlCharacters } from "../../contract/control-characters.ts";
import { createTraceClient, type TraceClient, type TraceRecord } from "./client.ts";
import { type TraceChoice, type TraceKind, type TraceNode, toBranches, toNodes } from "./trace-tree-client.ts";

const columns = ["id", "uid", "trace_tag", "start_timestamp"];
const allOfIt: TraceChoice = { kinds: [], hideNoop: false };

interface ListOptions {
	readonly traceTag?: string;
	readonly execution?: string;
	readonly rule?: string;
	readonly triggerInstance?: string;
	readonly limit: number;
	readonly sort: "asc" | "desc";
}

interface GetOptions {
	readonly execution?: string;
	readonly rule?: string;
	readonly triggerInstance?: string;
	readonly showExecutions?: boolean;
	readonly showRules?: boolean;
	readonly showTriggerInstances?: boolean;
	readonly hideNoopTriggers?: boolean;
}

export const addTraceCommands: AddCommands = (parent, context) => {
	const trace = parent.command("trace").description("Show traces, which connect events, rules and executions.");

	withCommonOptions(trace.command("list").description("List traces, newest first. With a filter, a single trace is shown as a tree."))
		.addOption(new Option("-c, --trace-tag <tag>", "list the traces with this tag").conflicts(["execution", "rule", "triggerInstance"]))
		.addOption(new Option("-e, --execution <id>", "list the traces with this execution").conflicts(["traceTag", "rule", "triggerInstance"]))
		.addOption(new Option("-r, --rule <id>", "list the traces with this rule").conflicts(["traceTag", "execution", "triggerInstance"]))
		.addOption(
			new Option("-g, --trigger-instance <id>", "list the traces with this trigger instance").conflicts(["traceTag", "execution", "rule"]),
		)
		.option(...limitOption, toInteger, 50)
		.addOption(
			new Option("-s, --sort <order>", "order: newest first (desc) or oldest first (asc)").choices(["asc", "desc"]).default("desc"),
		)
		.action(async (_options, command) => {
			const { traceTag: trace_tag, execution, rule, triggerInstance: trigger_instance, ...options } = optionsOf<ListOptions>(command);
			const filter = { trace_tag, execution, rule, trigger_instance };
			const isFiltered = Object.values(filter).some((value) => value !== undefined);
			const client = createTraceClient(await openSession(options, context));
			const page = await client.list({
				...filter,
				limit: options.limit,
				[options.sort === "asc" ? "sort_asc" : "sort_desc"]: "True",
				include_attributes: isFiltered ? undefined : toIncluded(columns, options),
			});
			const [only, ...others] = page.items;
			if (isFiltered && only !== undefined && others.length === 0) await show(only, allOfIt, options, context);
			else await printList(page, columns, { ...options, limitOption: "-n" }, context);
		});

	withCommonOptions(trace.command("get <ids...>").description("Show traces as trees."))
		.option("-e, --execution <id>", "show only the causes of this execution")
		.option("-r, --rule <id>", "show only the causes of this rule")
		.option("-g, --trigger-instance <id>", "show only the causes of this trigger instance")
		.option("--show-executions", "show executions; default: all kinds")
		.option("--show-rules", "show rules")
		.option("--show-trigger-instances", "show trigger instances")
		.option("-n, --hide-noop-triggers", "hide trigger instances without a matching rule")
		.action(async (ids: string[], _options, command) => {
			const options = optionsOf<GetOptions>(command);
			const client = createTraceClient(await openSession(options, context));
			for (const given of ids) {
				const id = given === "last" ? await findNewest(client) : given;
				const record = await orNotFound(client.get(id), "trace", id, "svc trace list");
				await show(record, toChoice(options), options, context);
			}
		});
	withExamples(trace, {
		list: ["svc trace list", "svc trace list --trace-tag ticket-1"],
		get: ["svc trace get last", "svc trace get 65f0a1b2c3d4e5f6a7b8c9d0 --show-executions"],
	});
};

async function findNewest(client: TraceClient): Promise<string> {
	const [newest] = (await client.list({ limit: 1, sort_desc: "True" })).items;
	if (newest === undefined) throw new CliExit(2, "last: no trace exists yet");
	return newest.id;
}

function toChoice(options: GetOptions): TraceChoice {
	const kinds: TraceKind[] = [];
	if (options.showExecutions) kinds.push("execution");
	if (options.showRules) kinds.push("rule");
	if (options.showTriggerInstances) kinds.push("trigger-instance");
	const given = [options.execution, options.rule, options.triggerInstance].filter((id) => id !== undefined);
	if (given.length > 1) throw new CliExit(2, "--execution, --rule and --trigger-instance: set only one of them");
	return { kinds, only: given[0], hideNoop: options.hideNoopTriggers === true };
}

async function show(record: TraceRecord, choice: TraceChoice, options: CommonOptions, context: CliContext): Promise<void> {
	const nodes = toNodes(record, choice);
	if (options.json || options.yaml) {
		const pick = (components: TraceRecord["rules"], kind: TraceKind) =>
			components.filter(({ object_id }) => nodes.some((node) => node.kind === kind && node.object_id === object_id));
		const picked = {
			...record,
			trigger_instances: pick(record.trigger_instances, "trigger-instance"),
			rules: pick(record.rules, "rule"),
			action_executions: pick(record.action_executions, "execution"),
		};
		return printRecord(picked, [...columns, "trigger_instances", "rules", "action_executions"], options, context);
	}
	const lines = [`${record.trace_tag} (${record.id}, ${record.start_timestamp})`, ...drawTree(nodes, toNodes(record, allOfIt))];
	await write(context.stdout, `${lines.join("\n")}\n`);
}

/** Returns the title of an event's trigger, or the ref of the component. Titles contain texts of users, such as the URL of a webhook. */
function toName({ title, ref }: TraceNode): string {
	return title === undefined ? ref : escapeControlCharacters(title);
}

/** Returns the lines of a tree in which each component is below its cause. */
function drawTree(nodes: readonly TraceNode[], all: readonly TraceNode[]): string[] {
	const branches = toBranches(nodes, all);
	const draw = (parent: string | undefined, indent: string): string[] =>
		(branches.get(parent) ?? []).flatMap((node, index, siblings) => {
			const isLast = index === siblings.length - 1;
			const [branch, below] = parent === undefined ? ["", ""] : isLast ? ["└─ ", "   "] : ["├─ ", "│  "];
			return [`${indent}${branch}${node.kind} ${toName(node)} ${node.object_id} ${node.updated_at}`, ...draw(node.key, indent + below)];
		});
	return draw(undefined, "");
}
