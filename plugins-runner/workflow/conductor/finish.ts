import { isJsonObject, isSvcError, type JsonObject, type JsonValue, stringifyJson } from "../../../core/contract/index.ts";
import type { WorkflowEnd } from "../conductor-protocol.ts";
import type { ConductorRun } from "./conductor-run.ts";
import { estimateBytes, isArray, isSmall } from "./find-large-parts.ts";
import { RenderingError } from "./renderer.ts";
import { createFunctions } from "./scope.ts";
import type { Variables } from "./variables.ts";

/** Maximum bytes of a result in an error. A larger result is replaced by the id of its execution. */
const maxResultBytes = 64 * 1024;

/** Finishes a run in which nothing is active: evaluates the output and records the end status. */
export async function finish(run: ConductorRun): Promise<void> {
	const { state } = run;
	const isStopped = state.isEnding;
	const errors = isStopped ? [] : findUnreachedJoins(run);
	const { output, problems } = await renderOutput(run);
	if (state.status !== "canceling") for (const error of [...errors, ...problems]) run.recordError(error);
	if (!isStopped && (errors.length > 0 || problems.length > 0 || state.hasEarlierFailures)) run.fail();
	run.record({ fact: "finish", status: toEndStatus(state.status), output: run.held.encode(output) });
}

/** Returns the end of a finished run; undefined if it is not finished. */
export async function toEnd(run: ConductorRun): Promise<WorkflowEnd | undefined> {
	const { finished } = run.state;
	if (finished === undefined) return undefined;
	const output = await run.evaluation.decode(finished.output);
	const { status } = finished;
	const hasNoErrors = status === "succeeded" || status === "canceled";
	return { status, result: { output, ...(!hasNoErrors && { errors: await toErrors(run) }) } };
}

function toEndStatus(status: ConductorRun["state"]["status"]): "succeeded" | "failed" | "canceled" | "timeout" {
	if (status === "canceling") return "canceled";
	return status === "timeout" || status === "failed" ? status : "succeeded";
}

function findUnreachedJoins({ state }: ConductorRun): readonly JsonObject[] {
	const partial = [...state.joins.values()].filter(({ isPartial }) => isPartial);
	return partial.map(({ name, route }) => ({
		message: `UnreachableJoinError: The join task|route "${name}|${route}" is partially satisfied but unreachable.`,
		task_id: name,
		route,
	}));
}

/** Evaluates the output in order; later values see earlier ones. */
async function renderOutput(run: ConductorRun): Promise<{ output: JsonValue; problems: readonly JsonObject[] }> {
	const { definition, renderer, state, tools } = run;
	const variables = toFinalVariables(run);
	const functions = createFunctions({ state, workflowExecutionId: tools.workflowExecutionId });
	const overlay = new Map<string, JsonValue>();
	const output = new Map<string, JsonValue>();
	const problems: JsonObject[] = [];
	for (const assignment of definition.output) {
		try {
			const value = await renderer.render(assignment.value, { variables, overlay, functions }, assignment);
			output.set(assignment.name, value);
			overlay.set(assignment.name, value);
		} catch (error) {
			if (!(error instanceof RenderingError)) throw error;
			problems.push({ message: error.message, data: error.data });
		}
	}
	return { output: output.size === 0 ? null : Object.fromEntries(output), problems };
}

/**
 * Returns the merged variables of all branches, in the order of their last tasks; later ones win. Includes branches that wait at a join
 * that never started.
 */
function toFinalVariables({ state }: ConductorRun): Variables {
	const ends = state.terminals.filter(({ run }) => !run.isSuperseded).sort((one, other) => one.order - other.order);
	const staged = [...state.stagedTasks.values()];
	const waiting = [...state.joins.values()].filter(({ isPartial }) => isPartial).map(({ waitingVariables }) => waitingVariables);
	return [...[...ends, ...staged].map(({ variables }) => variables), ...waiting].reduce(
		(own, others) => own.join(others),
		state.initialVariables,
	);
}

async function toErrors(run: ConductorRun): Promise<readonly JsonObject[]> {
	const { errors, droppedErrors } = run.state;
	const openedErrors = new Map<string, JsonObject>();
	for (const entry of errors) {
		const opened = await openError(run, entry);
		openedErrors.set(isSmall(opened) ? stringifyJson(opened) : `${openedErrors.size}`, opened);
	}
	if (droppedErrors > 0) openedErrors.set("dropped", { type: "error", message: `There are ${droppedErrors} more errors.` });
	return [...openedErrors.values()];
}

async function openError({ evaluation }: ConductorRun, entry: JsonObject): Promise<JsonObject> {
	try {
		const opened = await evaluation.decode(entry);
		if (!isJsonObject(opened)) return entry;
		if (opened["result"] === undefined || estimateBytes(opened["result"]) <= maxResultBytes) return opened;
		return { ...opened, result: toResultReference(entry["result"] ?? null) };
	} catch (error) {
		// The execution has been deleted.
		if (!isSvcError(error, "SVC_NOT_FOUND")) throw error;
		return { ...entry, result: null };
	}
}

function toResultReference(held: JsonValue): JsonValue {
	const [executionId] = isJsonObject(held) && isArray(held["$"]) ? held["$"] : [];
	return { execution_id: executionId ?? null };
}
