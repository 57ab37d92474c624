import { existsSync } from "node:fs";
import type { Command } from "commander";
import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, type CommonOptions, optionsOf, withCommonOptions, withFormatOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { type FormatOptions, printList, printRecord } from "../../cli/print-records.ts";
import { readTextFile } from "../../cli/read-file.ts";
import { openSession } from "../../cli/session.ts";
import type { DefinitionFinding, GraphEdge, GraphNode, TaskState } from "../../contract/index.ts";
import { createActionClient } from "../actions/client-exports.ts";
import { createExecutionClient } from "../executions/client-exports.ts";
import { createWorkflowClient } from "./client.ts";
import { mayRun, toCaseText, toFindingText } from "./format-findings.ts";

interface InspectOptions extends CommonOptions {
	readonly runner?: string;
}

interface GraphOptions extends CommonOptions {
	readonly config?: string;
	readonly runner: string;
	readonly mermaid?: boolean;
}

const actions = { path: "/actions", name: "ref" };

export const addWorkflowCommands: AddCommands = (parent, context) => {
	const workflow = parent.command("workflow").description("Check, test and show definitions of workflows.");
	addLocalCommands(workflow, context);
	addInspect(workflow, context);
	addGraph(workflow, context);
	withExamples(workflow, {
		inspect: ["svc workflow inspect deploy.yaml", "svc workflow inspect site.deploy"],
		graph: ["svc workflow graph deploy.yaml --mermaid", "svc workflow graph last"],
	});
};

function addInspect(workflow: Command, context: CliContext): void {
	const inspect = workflow
		.command("inspect <subject>")
		.description("Check a definition with the service, including its actions. The subject is a file or the ref of an action.");
	withNames(inspect, actions);
	withCommonOptions(inspect)
		.option("--runner <name>", "runner of the definition; default: the runner of the action, for a file workflow")
		.action(async (subject: string, _options, command) => {
			const options = optionsOf<InspectOptions>(command);
			const { text, runner } = isFile(subject) ? { text: readTextFile(subject) } : await readAction(subject, options, context);
			const client = createWorkflowClient(await openSession(options, context));
			await printFindings(subject, await client.inspect(text, { runner: options.runner ?? runner }), options, context);
		});
}

function addGraph(workflow: Command, context: CliContext): void {
	const graph = workflow
		.command("graph <subject>")
		.description("Show the graph of a definition. The subject is a file, the ref of an action or the id of an execution.");
	withNames(graph, actions);
	withCommonOptions(graph)
		.option("--mermaid", "print a Mermaid diagram")
		.option("--runner <name>", "runner of the definition, for a file", "workflow")
		.option("--config <file>", "configuration file with the runner, for a file; default: ./svc.config.ts, otherwise the one of the package")
		.action(async (subject: string, _options, command) => {
			const options = optionsOf<GraphOptions>(command);
			const found = await readGraph(subject, options, context);
			if (options.json || options.yaml) return printRecord(found, [], options, context);
			await write(context.stdout, options.mermaid ? toMermaid(found) : toGraphText(found));
		});
}

async function readGraph(subject: string, options: GraphOptions, context: CliContext): Promise<ShownGraph> {
	if (isFile(subject)) {
		const { definitions } = context;
		if (definitions === undefined) throw new CliExit(2, "subject: this command cannot read files; name an action or an execution");
		return (await definitions(options)).graph(readTextFile(subject));
	}
	const api = await openSession(options, context);
	if (/^[0-9a-f]{24}$/.test(subject) || subject === "last") {
		const { executions } = createExecutionClient(api);
		const newest = subject === "last" ? await executions.list({ parent: "null", sort_desc: "True", limit: 1 }) : undefined;
		const id = newest?.items[0]?.id ?? subject;
		return orNotFound(executions.graph(id), "execution", id, "svc execution list");
	}
	return orNotFound(createWorkflowClient(api).graph(subject), "action", subject, "svc action list");
}

async function readAction(ref: string, options: CommonOptions, context: CliContext) {
	const client = createActionClient(await openSession(options, context));
	const { runner_type: runner } = await orNotFound(client.actions.get(ref), "action", ref, "svc action list");
	return { text: await client.actions.entryPoint(ref), runner };
}

/** Mermaid styles of tasks, by group of statuses. */
const looks: Readonly<Record<string, string>> = {
	succeeded: "fill:#d4f5d4,stroke:#2e7d32,color:#000",
	failed: "fill:#fbd5d5,stroke:#c62828,color:#000",
	active: "fill:#d5e5fb,stroke:#1565c0,color:#000",
	waiting: "fill:#fdf3cf,stroke:#b28704,color:#000",
};

const groups: ReadonlyMap<string, string> = new Map(
	Object.entries({
		succeeded: "succeeded",
		failed: "failed timeout canceled",
		active: "requested delayed running retrying",
		waiting: "pending pausing paused",
	}).flatMap(([group, states]) => states.split(" ").map((state): [string, string] => [state, group])),
);

/** Returns the source of a Mermaid diagram. */
export function toMermaid({ nodes, edges }: ShownGraph): string {
	// Generated names, because names of tasks may be keywords of Mermaid.
	const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
	const lines = ["flowchart TD"];
	const used = new Set<string>();
	for (const node of nodes) {
		const name = names.get(node.id) ?? "";
		const statuses = toStatusText(node);
		const label = [node.id, ...(node.action === null ? [] : [node.action]), ...(statuses === "" ? [] : [statuses])]
			.map(toLabel)
			.join("<br/>");
		const [open, close] = node.kind === "command" ? ["{{", "}}"] : node.is_start ? ["([", "])"] : ["[", "]"];
		lines.push(`    ${name}${open}"${label}"${close}`);
		const group = groups.get(node.tasks?.at(-1)?.status ?? "");
		if (group === undefined) continue;
		used.add(group);
		lines.push(`    class ${name} ${group}`);
	}
	for (const { from, to, when, taken = 0 } of edges) {
		const arrow = taken > 0 ? "==>" : "-->";
		lines.push(`    ${names.get(from)} ${arrow}${when === null ? "" : `|"${toLabel(when)}"|`} ${names.get(to)}`);
	}
	for (const group of used) lines.push(`    classDef ${group} ${looks[group]}`);
	return `${lines.join("\n")}\n`;
}

/** Escapes every character that Mermaid, or the page that shows the diagram, could interpret. */
function toLabel(text: string): string {
	return oneLine(text).replace(/[^\p{L}\p{N} .,:_/()=-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}

/** Returns true if an argument is a path. Refs contain no slash, and a file with the exact name of an action is unlikely. */
function isFile(word: string): boolean {
	return /[/\\]|\.(?:ya?ml|json)$/.test(word) || existsSync(word);
}

/** A definition as a graph, with the tasks of a run if the graph is that of an execution. */
export interface ShownGraph {
	readonly nodes: readonly ShownNode[];
	readonly edges: readonly (GraphEdge & { readonly taken?: number })[];
}

type ShownNode = GraphNode & { readonly tasks?: readonly TaskState[] };

/** Returns one line for each task, followed by a line for each of its transitions. */
export function toGraphText({ nodes, edges }: ShownGraph): string {
	const lines = nodes
		.filter(({ kind }) => kind === "task")
		.flatMap((node) => {
			const own = edges.filter(({ from }) => from === node.id);
			return [toNodeLine(node), ...own.map((edge, index) => `${index === own.length - 1 ? "└─" : "├─"} ${toEdgeText(edge)}`)];
		});
	return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

/** Returns the statuses of a node's tasks, separated by commas, each with its count of items: `running (3 of 10)`. */
function toStatusText({ tasks = [] }: Pick<ShownNode, "tasks">): string {
	return tasks.map(({ status, items }) => (items === null ? status : `${status} (${items.succeeded} of ${items.total})`)).join(", ");
}

function toNodeLine(node: ShownNode): string {
	const { id, action, items, join, is_start } = node;
	const statuses = toStatusText(node);
	return [
		id,
		...(action === null ? [] : [action]),
		...(items === null ? [] : [`for each of ${oneLine(items)}`]),
		...(join === null ? [] : [`joins ${join}`]),
		...(is_start ? ["starts"] : []),
		...(statuses === "" ? [] : [`[${statuses}]`]),
	].join("  ");
}

function toEdgeText({ to, when, taken = 0 }: ShownGraph["edges"][number]): string {
	const times = taken > 1 ? ` (taken ${taken} times)` : taken === 1 ? " (taken)" : "";
	return `${when === null ? "" : `${oneLine(when)} `}→ ${to}${times}`;
}

/** Replaces each run of white space, including line breaks, with one space. */
function oneLine(text: string): string {
	return text.trim().replace(/\s+/g, " ");
}

interface LocalOptions extends FormatOptions {
	readonly config?: string;
	readonly runner: string;
}

/** Adds the commands that need no running service, for testing a pack on the machine where it is developed. */
function addLocalCommands(workflow: Command, context: CliContext): void {
	const { definitions } = context;
	if (definitions === undefined) return;

	withLocalOptions(
		workflow
			.command("validate <file>")
			.description("Check a definition without a service. Actions are not checked. The exit code is 1 if the definition cannot run."),
	).action(async (file: string, _options, command) => {
		const options = optionsOf<LocalOptions>(command);
		const reader = await definitions(options);
		await printFindings(file, await reader.inspect(readTextFile(file)), options, context);
	});

	withLocalOptions(
		workflow
			.command("test <file> [cases]")
			.description(
				"Run the test cases of a definition without a service. The default file for the cases ends in .test.yaml. The exit code is 1 if a case fails.",
			),
	).action(async (file: string, cases: string | undefined, _options, command) => {
		const options = optionsOf<LocalOptions>(command);
		const reader = await definitions(options);
		const results = await reader.test(readTextFile(file), readTextFile(cases ?? toCasesPath(file)));
		if (options.json || options.yaml) await printList({ items: results, total: results.length, limit: undefined }, [], options, context);
		else await write(context.stdout, toCaseText(results));
		if (results.some(({ problems }) => problems.length > 0)) throw new CliExit(1);
	});
	withExamples(workflow, {
		validate: ["svc workflow validate deploy.yaml"],
		test: ["svc workflow test deploy.yaml", "svc workflow test deploy.yaml cases.yaml -j"],
	});
}

function withLocalOptions(command: Command): Command {
	return withFormatOptions(command)
		.option("--runner <name>", "runner of the definition", "workflow")
		.option("--config <file>", "configuration file with the runner; default: ./svc.config.ts, otherwise the one of the package");
}

/** Returns the default path of the test cases, which is next to the definition. */
function toCasesPath(file: string): string {
	return file.replace(/\.(?:ya?ml|json)$/, "").concat(".test.yaml");
}

/** Prints the findings. Throws `CliExit` with 1 if the definition cannot run. */
async function printFindings(
	subject: string,
	findings: readonly DefinitionFinding[],
	options: FormatOptions,
	context: CliContext,
): Promise<void> {
	if (options.json || options.yaml) await printList({ items: findings, total: findings.length, limit: undefined }, [], options, context);
	else await write(context.stdout, toFindingText(subject, findings));
	if (!mayRun(findings)) throw new CliExit(1);
	if (!options.json && !options.yaml && findings.length === 0) await write(context.stderr, `${subject}: no problems found\n`);
}
