import type { Command } from "commander";
import { type AddCommands, type CommonOptions, optionsOf, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printRecord } from "../../cli/output.ts";
import { readTextFile } from "../../cli/read-file.ts";
import { openSession } from "../../cli/session.ts";
import { createActionClient } from "../actions/client-api.ts";
import { createExecutionClient } from "../executions/client-api.ts";
import { createWorkflowClient } from "./client.ts";
import { toMermaid } from "./graph-mermaid.ts";
import { type ShownGraph, toGraphText } from "./graph-text.ts";
import { addLocalCommands } from "./local-commands.ts";
import { printFindings } from "./print-findings.ts";
import { isFile } from "./subject.ts";

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
	const workflow = parent.command("workflow").description("Look at definitions of workflows, and try them.");
	addLocalCommands(workflow, context);
	addInspect(workflow, context);
	addGraph(workflow, context);
};

function addInspect(workflow: Command, context: CliContext): void {
	const inspect = workflow
		.command("inspect <subject>")
		.description("Ask the service what is wrong with a definition: the file, or the action, of that name.");
	withNames(inspect, actions);
	withCommonOptions(inspect)
		.option("--runner <name>", "the runner that it is written for; default that of the action, of a file workflow")
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
		.description("Show what leads where in a definition: of a file, an action, or an execution with its tasks.");
	withNames(graph, actions);
	withCommonOptions(graph)
		.option("--mermaid", "as a diagram in Mermaid")
		.option("--runner <name>", "of a file: the runner that it is written for", "workflow")
		.option("--config <file>", "of a file: configuration with the runner; default ./svc.config.ts, or what comes with svc")
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
		if (definitions === undefined) throw new CliExit(2, "files can be read where svc can run a service only");
		return (await definitions(options)).graph(readTextFile(subject));
	}
	const api = await openSession(options, context);
	if (/^[0-9a-f]{24}$/.test(subject) || subject === "last") {
		return orNotFound(createExecutionClient(api).executions.graph(subject), "Execution", subject, "svc execution list");
	}
	return orNotFound(createWorkflowClient(api).graph(subject), "Action", subject, "svc action list");
}

async function readAction(ref: string, options: CommonOptions, context: CliContext) {
	const client = createActionClient(await openSession(options, context));
	const { runner_type: runner } = await orNotFound(client.actions.get(ref), "Action", ref, "svc action list");
	return { text: await client.actions.entryPoint(ref), runner };
}
