import type { Command } from "commander";
import { type AddCommands, optionsOf, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { type FormatOptions, printRecord } from "../../cli/output.ts";
import { parseParameters, type Schemas } from "../../cli/parameters.ts";
import { openSession } from "../../cli/session.ts";
import type { Api } from "../../client/api.ts";
import { isRefusedVariable, type JsonObject } from "../../contract/index.ts";
import { type ActionClient, createActionClient, type RunnerTypeRecord } from "../actions/client-api.ts";
import { toActionHelp } from "./action-help.ts";
import { createExecutionClient, type ExecutionClient, type ExecutionInput, type ExecutionRecord } from "./client.ts";
import { followRun, hasEnded, toExitCode, toSummary } from "./follow-run.ts";
import { toShownResult } from "./shown-result.ts";

interface RunOptions extends FormatOptions {
	readonly async?: boolean;
	readonly tail?: boolean;
	readonly traceTag?: string;
	readonly traceId?: string;
	readonly delay?: number;
	readonly user?: string;
	readonly autoDict?: boolean;
	readonly inheritEnv?: boolean;
}

const parametersHelp = `
Parameters:
  name=value      cast by the type that the action or its runner gives the parameter
  @name=file      the text of a file
  word ...        the first word of another form and all behind it become the parameter cmd;
                  put -- before words that begin with a dash

Exit code: 0 succeeded; the run's own return code (1 to 255) when the action failed with one; 1 any other end; 2 unknown action.`;

/** Options of everything that starts an execution. */
export function withRunOptions(command: Command): Command {
	return withCommonOptions(command, "--attr <names>")
		.option("-a, --async", "print the id and do not wait")
		.option("--tail", "of a workflow: the output of its tasks, too, each line behind the name of its task")
		.option("--delay <milliseconds>", "wait before it is scheduled", toInteger)
		.option("-u, --user <user>", "user to run as (administrators)")
		.option("--auto-dict", "make objects of array parameters given as key:value,key:value");
}

export const addRunCommand: AddCommands = (parent, context) => {
	const run = parent.command("run [action] [parameters...]").description("Run an action and show its output as it arrives.");
	withNames(run, { path: "/actions", name: "ref" });
	withRunOptions(run)
		.usage("[options] <action> [parameters...]")
		// With an action the help is about that, which the service has to be asked for: commander's own would not wait.
		.helpOption(false)
		.option("-h, --help", "display help for command, or with an action its parameters")
		.option("--trace-tag <tag>", "start a trace with this tag")
		.option("--trace-id <id>", "join this trace")
		.option("-e, --inherit-env", "give the action the environment of this shell")
		.addHelpText("after", parametersHelp)
		.action(async (action: string | undefined, words: string[], _options, command: Command) => {
			const options = optionsOf<RunOptions & { readonly help?: boolean }>(command);
			if (action === undefined) return options.help ? command.help() : command.error("error: missing required argument 'action'");
			const api = await openSession(options, context);
			if (options.help) return printActionHelp(createActionClient(api), action, context);
			const client = createExecutionClient(api);
			const input = await toInput(createActionClient(api), action, words, options, context);
			await finish(client, await client.executions.create(input), options, context);
		});
};

async function printActionHelp(client: ActionClient, ref: string, context: CliContext): Promise<void> {
	const action = await orNotFound(client.actions.get(ref), "Action", ref, "svc action list");
	await write(context.stdout, toActionHelp(action, await client.actions.parameters(action.ref)));
}

async function toInput(
	client: ActionClient,
	ref: string,
	words: readonly string[],
	options: RunOptions,
	context: CliContext,
): Promise<ExecutionInput> {
	const action = await orNotFound(client.actions.get(ref), "Action", ref, "svc action list");
	const { items } = await client.runnerTypes.list({ name: action.runner_type });
	const parameters = parseParameters(words, toSchemas(action, items[0]), options);
	const trace = options.traceId === undefined ? { trace_tag: options.traceTag ?? "" } : { id_: options.traceId };
	return {
		action: action.ref,
		parameters: options.inheritEnv ? { ...parameters, env: inheritedEnvironment(context.env) } : parameters,
		...(options.user === undefined ? {} : { user: options.user }),
		...(options.traceId === undefined && options.traceTag === undefined ? {} : { context: { trace_context: trace } }),
		...(options.delay === undefined ? {} : { delay: options.delay }),
	};
}

export function toSchemas(
	action: { readonly parameters?: Schemas["action"] },
	runner: Pick<RunnerTypeRecord, "runner_parameters"> | undefined,
): Schemas {
	return { action: action.parameters ?? {}, runner: runner?.runner_parameters ?? {} };
}

/** Print what the options ask for of a new execution; throws `CliExit` with its exit code when that is not 0. */
export async function finish(client: ExecutionClient, created: ExecutionRecord, options: RunOptions, context: CliContext): Promise<void> {
	const data = options.json === true || options.yaml === true;
	if (options.async) {
		if (data) return printRecord(created, [], options, context);
		await write(context.stdout, `${created.id}\n`);
		return write(context.stderr, `\`svc execution tail ${created.id}\` follows it, \`svc execution get ${created.id}\` shows it\n`);
	}
	// A run that never ends by itself can be looked up from elsewhere.
	if (!data) await write(context.stderr, toSummary(created));
	const tasks = created.liveaction.action_is_workflow ? (options.tail ? "output" : "tree") : undefined;
	const { record, streamed } = await followRun(client, created.id, { print: !data, cancelOnInterrupt: true, tasks }, context);
	if (data) await printRecord(record, [], options, context);
	else {
		await printRecord({ result: toShownResult(record.result, streamed) }, ["result"], options, context);
		await write(context.stderr, toSummary(record));
	}
	const exitCode = toExitCode(record);
	if (exitCode !== 0) throw new CliExit(exitCode);
}

/** Show an execution that another command has started: its output as it comes, and how it ended. Its result is told by its output. */
export async function followStarted(api: Api, id: string, options: RunOptions, context: CliContext): Promise<void> {
	const client = createExecutionClient(api);
	const created = await client.executions.get(id);
	if (options.async || options.json || options.yaml) return finish(client, created, options, context);
	// A short one has ended already, which is said behind its output.
	if (!hasEnded(created)) await write(context.stderr, toSummary(created));
	const { record } = await followRun(client, id, { print: true, cancelOnInterrupt: true }, context);
	await write(context.stderr, toSummary(record));
	const exitCode = toExitCode(record);
	if (exitCode !== 0) throw new CliExit(exitCode);
}

/** Variables that belong to the shell and the place rather than to the work, besides those that the service refuses. */
const shellVariables = new Set(
	"_ columns lang lines logname ls_colors mail oldpwd pwd shlvl ssh_client ssh_connection ssh_tty term user".split(" "),
);

function inheritedEnvironment(env: CliContext["env"]): JsonObject {
	const kept = Object.entries(env).filter((entry): entry is [string, string] => {
		// The service refuses the command's own credentials too: they are no business of the action.
		return entry[1] !== undefined && !shellVariables.has(entry[0].toLowerCase()) && !isRefusedVariable(entry[0]);
	});
	return Object.fromEntries(kept);
}
