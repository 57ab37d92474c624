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
import type { WorkflowEvent } from "../conductor-protocol.ts";
import type { Definition } from "../definition/definition.ts";
import { limits } from "../definition/limits.ts";
import { inspectForRun, read } from "../workflow-definitions.ts";
import { toConductorEntries } from "./batch-entries.ts";
import { toChildEvent } from "./child-event.ts";

/** Conductor of a workflow that may run, with its first events; or the result of a run that was refused. */
export type WorkflowStart = { readonly conductor: Conductor; readonly first: readonly WorkflowEvent[] } | { readonly refused: RunResult };

/** Creates the conductor of a new run, of a run that is recovered or resumed, or of a partial re-run of an earlier execution. */
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
	assertNotifyTasksExist(context, definition);
	return {
		conductor: new Conductor(definition, tools),
		first: [toBegin(context)],
	};
}

/** Reads the definition. Throws `SVC_INVALID` before reading it if the file is larger than a definition may be. */
async function readText(path: string): Promise<string> {
	const { size } = await stat(path);
	if (size > limits.size) throw new SvcError("SVC_INVALID", `the definition must have at most ${limits.size} bytes, got ${size}`);
	return readFile(path, "utf8");
}

/** Returns the event that continues a run. If only a child was resumed, the context does not have `resumed_by`. */
function toContinue({ pausing, context }: RunContext): WorkflowEvent {
	return { type: "continue", isResumed: !pausing.aborted, isAsked: context["resumed_by"] !== undefined };
}

/**
 * Returns the current status of all children. Without it, a workflow that must pause would decide this from outdated statuses, and an
 * answer given in the meantime would not wake it.
 */
async function readChildren({ children }: RunContext): Promise<readonly WorkflowEvent[]> {
	return (await children.list()).flatMap((child) => toChildEvent(child) ?? []);
}

function toBegin(context: RunContext): WorkflowEvent {
	return { type: "begin", parameters: toParameters(context), system: toSystem(context) };
}

/** Reads the definition with which the run began, from its journal. Throws `SVC_RUNNER` if the journal does not have it. */
async function definitionOf(entries: readonly JsonObject[]): Promise<Definition> {
	const { definition: text } = await readProgress(entries);
	if (text === null) throw new SvcError("SVC_RUNNER", "the journal of the workflow does not begin with its definition");
	return read(text);
}

function toTools(context: RunContext): ConductorTools {
	return {
		expressions: context.expressions,
		executionId: context.execution_id,
		workflowExecutionId: toNonEmptyText(context.context["workflow_execution"]) ?? context.execution_id,
		result: (id) => toResultOrNull(context.children.result(id)),
	};
}

/** Resolves to null if the execution of the child has been deleted. */
async function toResultOrNull(result: Promise<JsonObject | null>): Promise<JsonObject | null> {
	try {
		return await result;
	} catch (error) {
		if (isSvcError(error, "SVC_NOT_FOUND")) return null;
		throw error;
	}
}

/** Returns the parameters of the action and of its runner. If both have the same name, the action's value wins. */
function toParameters({ actionParameters, runnerParameters }: RunContext): JsonObject {
	return { ...(runnerParameters as JsonObject), ...actionParameters };
}

/** Returns the values of `ctx().svc` and `ctx().parent`. */
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
			workflow_execution_id: toNonEmptyText(workflow_execution) ?? context.execution_id,
			...(api_user !== undefined && { api_user }),
			...(source_channel !== undefined && { source_channel }),
		},
		parent: context.context,
	};
}

/** Throws `SVC_INVALID` if the parameter `notify` names a task that the workflow does not have. */
function assertNotifyTasksExist({ runnerParameters }: RunContext, { tasks }: Definition): void {
	const names = (runnerParameters as { readonly notify?: readonly string[] | null }).notify ?? [];
	const unknown = names.filter((name) => !tasks.has(name));
	if (unknown.length > 0)
		throw new SvcError("SVC_INVALID", `notify: the workflow has no task ${unknown.map((name) => `"${name}"`).join(", ")}`);
}

function toError({ spec_path, schema_path, ...finding }: DefinitionFinding): JsonObject {
	return { ...finding, spec_path, schema_path } as JsonObject;
}

function toNonEmptyText(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}
