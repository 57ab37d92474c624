import type { Command } from "commander";
import { withExamples } from "../../cli/commands/examples.ts";
import { type AddCommands, optionsOf, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, CliExit, write } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { parseParameters, type Schemas } from "../../cli/parameters.ts";
import { type FormatOptions, printRecord } from "../../cli/print-records.ts";
import { openSession } from "../../cli/session.ts";
import type { ApiClient } from "../../client/api-client.ts";
import {
	isJsonObject,
	isRefusedVariable,
	type JsonObject,
	type JsonValue,
	type OutputType,
	type ParameterDefinition,
	type ParameterDefinitions,
	stringifyJson,
} from "../../contract/index.ts";
import { type ActionClient, type ActionRecord, createActionClient, type RunnerTypeRecord } from "../actions/client-exports.ts";
import { createExecutionClient, type ExecutionClient, type ExecutionInput, type ExecutionRecord } from "./client.ts";
import { followRun, toExitCode, toSummary } from "./follow-run.ts";
import { hasEnded } from "./tail-tasks.ts";

/** Options of all commands that start an execution. */
export interface StartOptions extends FormatOptions {
	readonly async?: boolean;
	readonly tail?: boolean;
	readonly delay?: number;
	readonly user?: string;
	readonly autoDict?: boolean;
}

interface RunOptions extends StartOptions {
	readonly traceTag?: string;
	readonly traceId?: string;
	readonly inheritEnv?: boolean;
}

const parametersHelp = `
Parameters:
  name=value      converted to the type of the parameter
  @name=file      the content of a text file
  word ...        the first word of another form and all words after it become the
                  parameter cmd; put -- before words that begin with a dash

Exit code: 0 if the action succeeded; its return code (1 to 255) if it failed with one;
1 for any other end; 2 if the action does not exist.`;

/** Adds the options that all commands starting an execution have in common. */
export function withRunOptions(command: Command): Command {
	return withCommonOptions(command, "--attr <names>")
		.option("-a, --async", "print the id without waiting for the end")
		.option("--tail", "print the output of the tasks of a workflow, too; each line begins with the task")
		.option("--delay <milliseconds>", "milliseconds before the start", toInteger)
		.option("-u, --user <user>", "user to run the action as (administrators)")
		.option("--auto-dict", "convert array parameters of the form key:value,key:value to objects");
}

export const addRunCommand: AddCommands = (parent, context) => {
	const run = parent.command("run [action] [parameters...]").description("Run an action and print its output while it runs.");
	withNames(run, { path: "/actions", name: "ref" });
	withExamples(parent, {
		run: ["svc run core.local cmd=uptime", "svc run core.http url=https://example.org -j", "svc run --async core.local -- sleep 60"],
	});
	withRunOptions(run)
		.usage("[options] <action> [parameters...]")
		// The help for an action needs requests to the service. Commander's own help option would not wait for them.
		.helpOption(false)
		.option("-h, --help", "show this help, or the parameters of an action")
		.option("--trace-tag <tag>", "tag of a new trace")
		.option("--trace-id <id>", "id of an existing trace to join")
		.option("-e, --inherit-env", "pass the environment variables of this shell to the action")
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
	const action = await orNotFound(client.actions.get(ref), "action", ref, "svc action list");
	await write(context.stdout, toActionHelp(action, await client.actions.parameters(action.ref)));
}

async function toInput(
	client: ActionClient,
	ref: string,
	words: readonly string[],
	options: RunOptions,
	context: CliContext,
): Promise<ExecutionInput> {
	const action = await orNotFound(client.actions.get(ref), "action", ref, "svc action list");
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

/** Prints a new execution according to the options. Throws `CliExit` with the exit code of the execution if that is not 0. */
export async function finish(client: ExecutionClient, created: ExecutionRecord, options: StartOptions, context: CliContext): Promise<void> {
	const data = options.json === true || options.yaml === true;
	if (options.async) {
		if (data) return printRecord(created, [], options, context);
		await write(context.stdout, `${created.id}\n`);
		return write(
			context.stderr,
			`Follow it with \`svc execution tail ${created.id}\`, or show it with \`svc execution get ${created.id}\`.\n`,
		);
	}
	// Print the id first, so that a user can inspect a run that never ends from another terminal.
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

/** Prints the output of an execution that another command started, then a summary of its end. Does not print the result. */
export async function followStarted(api: ApiClient, id: string, options: StartOptions, context: CliContext): Promise<void> {
	const client = createExecutionClient(api);
	const created = await client.executions.get(id);
	if (options.async || options.json || options.yaml) return finish(client, created, options, context);
	// If the execution has already ended, the summary is printed only after its output.
	if (!hasEnded(created)) await write(context.stderr, toSummary(created));
	const { record } = await followRun(client, id, { print: true, cancelOnInterrupt: true }, context);
	await write(context.stderr, toSummary(record));
	const exitCode = toExitCode(record);
	if (exitCode !== 0) throw new CliExit(exitCode);
}

/** Variables of the shell and terminal that are not passed on, in addition to those that the service refuses. */
const shellVariables = new Set(
	"_ columns lang lines logname ls_colors mail oldpwd pwd shlvl ssh_client ssh_connection ssh_tty term user".split(" "),
);

function inheritedEnvironment(env: CliContext["env"]): JsonObject {
	const kept = Object.entries(env).filter((entry): entry is [string, string] => {
		// Refused variables include the credentials of this command, which the action must not get.
		return entry[1] !== undefined && !shellVariables.has(entry[0].toLowerCase()) && !isRefusedVariable(entry[0]);
	});
	return Object.fromEntries(kept);
}

/** Returns the text of `svc run <action> -h`. Parameters that callers cannot set are omitted. */
function toActionHelp({ ref, description, runner_type }: ActionRecord, parameters: ParameterDefinitions): string {
	const settable = Object.entries(parameters).filter(([, { immutable }]) => immutable !== true);
	const isAsked = ([, { required, default: fallback }]: (typeof settable)[number]) => required === true && fallback === undefined;
	const groups = [
		["Required parameters", inOrder(settable.filter(isAsked))],
		["Optional parameters", inOrder(settable.filter((entry) => !isAsked(entry)))],
	] as const;
	return [
		`${ref}: ${description || "no description"}\nRuns with ${runner_type}.\n`,
		`\nUsage: svc run ${ref} [options] [name=value ...]\n`,
		...groups.map(([title, entries]) => (entries.length === 0 ? "" : `\n${title}:\n${entries.map(toLines).join("")}`)),
		settable.length === 0 ? "\nThe action has no parameters.\n" : "",
		"\nRun `svc run -h` for the options and the notation of values.\n",
	].join("");
}

/** Returns the parameters with a position first, ordered by it, then the others in the order of their declaration. */
function inOrder<E extends readonly [string, ParameterDefinition]>(entries: readonly E[]): readonly E[] {
	const place = ([, { position }]: E) => position ?? Number.POSITIVE_INFINITY;
	return entries.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

function toLines([name, definition]: readonly [string, ParameterDefinition]): string {
	const { type, default: fallback, enum: allowed, secret, description } = definition;
	const notes = [
		type ?? "any type",
		...(allowed === undefined ? [] : [`one of ${allowed.map((value) => stringifyJson(value)).join(", ")}`]),
		...(fallback === undefined || fallback === null || secret === true ? [] : [`default ${stringifyJson(fallback)}`]),
		...(secret === true ? ["secret"] : []),
	];
	const text = description === undefined || description === "" ? "" : `${description.trim().replace(/^/gm, "      ")}\n`;
	return `  ${name} (${notes.join("; ")})\n${text}`;
}

/**
 * Returns the part of a result that the terminal does not show otherwise; undefined if there is none. The output of the types `streamed`
 * has been printed, and the final line contains status, return code and error. Runners that start processes repeat the output in the
 * result.
 */
export function toShownResult(result: JsonObject | undefined, streamed: ReadonlySet<OutputType>): JsonValue | undefined {
	if (result === undefined) return undefined;
	const shown = Object.entries(withoutSeen(result, streamed)).filter(([name, value]) => name !== "error" || typeof value !== "string");
	const [first, ...others] = shown;
	if (first === undefined) return undefined;
	return others.length === 0 && first[0] === "result" ? first[1] : Object.fromEntries(shown);
}

function withoutSeen(result: JsonObject, streamed: ReadonlySet<OutputType>): JsonObject {
	const isOfProcess = "return_code" in result || "exit_code" in result;
	return Object.fromEntries(
		Object.entries(result).flatMap(([name, value]): [string, JsonValue][] => {
			if (isSaid(name, value) || (isOfProcess && isSeen(name, value, streamed))) return [];
			// Runners that work on several hosts return one process result for each host.
			if (!isJsonObject(value) || !("return_code" in value && "succeeded" in value)) return [[name, value]];
			const ofHost = withoutSeen(value, streamed);
			return Object.keys(ofHost).length === 0 ? [] : [[name, ofHost]];
		}),
	);
}

function isSaid(name: string, value: JsonValue): boolean {
	if (name === "succeeded" || name === "failed") return typeof value === "boolean";
	return (name === "return_code" || name === "exit_code") && typeof value === "number";
}

function isSeen(name: string, value: JsonValue, streamed: ReadonlySet<OutputType>): boolean {
	// Output from several hosts has the type `other`.
	if (name === "stdout" || name === "stderr") return value === "" || streamed.has(name) || streamed.has("other");
	// Python actions that return nothing have the result None.
	if (name === "result") return value === null || value === "None";
	return name === "engine" || name === "truncated";
}
