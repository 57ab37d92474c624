import { readFile, stat } from "node:fs/promises";
import {
	type DefinitionFinding,
	isSvcError,
	type JsonObject,
	type RunContext,
	type RunResult,
	SvcError,
} from "../../../core/contract/index.ts";
import { Conductor } from "../conductor/conductor.ts";
import type { ConductorTools } from "../conductor/conductor-run.ts";
import { readProgress } from "../conductor/progress.ts";
import type { Definition } from "../definition/definition.ts";
import { limits } from "../definition/limits.ts";
import { inspectForRun, read } from "../large-definitions.ts";
import type { WorkflowEvent } from "../steps.ts";
import { toChildEvent } from "./child-event.ts";
import { toConductorEntries } from "./entries.ts";

/** A workflow that may run, and what it is told first; or how it ends before it has begun. */
export type WorkflowStart = { readonly conductor: Conductor; readonly first: readonly WorkflowEvent[] } | { readonly refused: RunResult };

/** A workflow at its begin: anew, from where another process has left it, or from where an earlier execution has ended. */
export async function beginWorkflow(context: RunContext): Promise<WorkflowStart> {
	const entries = toConductorEntries(await context.journal.read());
	const tools = toTools(context);
	if (entries.length > 0) {
		const conductor = await Conductor.restore(await definitionOf(entries), entries, tools);
		return { conductor, first: [toContinue(context), ...(await readChildren(context))] };
	}
	if (context.takenUp !== undefined) {
		const { tasks, reset } = context.takenUp;
		const earlier = toConductorEntries(context.takenUp.entries);
		const conductor = await Conductor.createPartialRerun(await definitionOf(earlier), earlier, { tasks, reset }, tools);
		return { conductor, first: [toBegin(context)] };
	}
	return beginAnew(context, tools);
}

async function beginAnew(context: RunContext, tools: ConductorTools): Promise<WorkflowStart> {
	const text = await readText(context.entryPoint);
	const findings = await inspectForRun(text, {
		expressions: context.expressions,
		findAction: (ref) => context.findAction(ref),
	});
	const errors = findings.filter(({ type }) => type !== "warning");
	if (errors.length > 0) return { refused: { succeeded: false, result: { errors: errors.map(toError), output: null } } };
	for (const { message, line } of findings) await context.emit("other", `warning: line ${line ?? 1}: ${message}\n`);
	const definition = await read(text);
	assertNotified(context, definition);
	return {
		conductor: new Conductor(definition, tools),
		first: [toBegin(context)],
	};
}

/** What is larger than a definition may be is not even read. */
async function readText(path: string): Promise<string> {
	const { size } = await stat(path);
	if (size > limits.size) throw new SvcError("SVC_INVALID", `the definition must have at most ${limits.size} bytes, it has ${size}`);
	return readFile(path, "utf8");
}

/** Where a child alone has gone on, the context names nobody who has asked for it. */
function toContinue({ pausing, context }: RunContext): WorkflowEvent {
	return { type: "continue", isResumed: !pausing.aborted, isAsked: context["resumed_by"] !== undefined };
}

/**
 * What the children are like by now. Without it a workflow that is to pause would do so by what was known before, and nobody would wake it for
 * an answer that came in between.
 */
async function readChildren({ children }: RunContext): Promise<readonly WorkflowEvent[]> {
	return (await children.list()).flatMap((child) => toChildEvent(child) ?? []);
}

function toBegin(context: RunContext): WorkflowEvent {
	return { type: "begin", parameters: toParameters(context), system: toSystem(context) };
}

/** A run keeps the definition that it has begun with. */
async function definitionOf(entries: readonly JsonObject[]): Promise<Definition> {
	const { definition: text } = await readProgress(entries);
	if (text === null) throw new SvcError("SVC_RUNNER", "the journal of the workflow does not begin with its definition");
	return read(text);
}

function toTools(context: RunContext): ConductorTools {
	return {
		expressions: context.expressions,
		executionId: context.execution_id,
		workflowExecutionId: toText(context.context["workflow_execution"]) ?? context.execution_id,
		result: (id) => orNull(context.children.result(id)),
	};
}

/** The child of a run whose records have been removed meanwhile has no result any more. */
async function orNull(result: Promise<JsonObject | null>): Promise<JsonObject | null> {
	try {
		return await result;
	} catch (error) {
		if (isSvcError(error, "SVC_NOT_FOUND")) return null;
		throw error;
	}
}

/** Only what is declared; of the runner's own parameters those that an action has made its own. */
function toParameters({ actionParameters, runnerParameters }: RunContext): JsonObject {
	return { ...(runnerParameters as JsonObject), ...actionParameters };
}

/** What `ctx().svc` and `ctx().parent` are. */
function toSystem(context: RunContext): JsonObject {
	const { api_user, source_channel, workflow_execution } = context.context;
	const [, action = ""] = context.action_ref.split(/\.(.*)/s);
	return {
		svc: {
			action_execution_id: context.execution_id,
			api_url: context.environment["SVC_ACTION_API_URL"] ?? "",
			user: context.user,
			pack: context.pack,
			action,
			runner: "workflow",
			workflow_execution_id: toText(workflow_execution) ?? context.execution_id,
			...(api_user !== undefined && { api_user }),
			...(source_channel !== undefined && { source_channel }),
		},
		parent: context.context,
	};
}

function assertNotified({ runnerParameters }: RunContext, { tasks }: Definition): void {
	const names = (runnerParameters as { readonly notify?: readonly string[] | null }).notify ?? [];
	const unknown = names.filter((name) => !tasks.has(name));
	if (unknown.length > 0)
		throw new SvcError("SVC_INVALID", `notify: the workflow has no task ${unknown.map((name) => `"${name}"`).join(", ")}`);
}

function toError({ spec_path, schema_path, ...finding }: DefinitionFinding): JsonObject {
	return { ...finding, spec_path, schema_path } as JsonObject;
}

function toText(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}
