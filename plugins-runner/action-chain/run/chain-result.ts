import { type JsonObject, type JsonValue, type RunResult, toErrorMessage } from "../../../core/contract/index.ts";
import type { ChainState, NodeRun } from "./chain-state.ts";

/** State of the current task's execution when the chain is paused or ended. */
export interface OpenTask {
	readonly liveactionId: string;
	readonly status: string;
	readonly result: JsonObject | null;
}

export interface ChainResultOptions {
	/** True to include the published values in the result. */
	readonly published: boolean;
	readonly error?: unknown;
	readonly open?: OpenTask | undefined;
}

/** Returns the result of a chain: its tasks in the order of their start, the published values, and the error that stopped it. */
export function toChainResult(state: ChainState | undefined, { published, error, open }: ChainResultOptions): JsonObject {
	return {
		tasks: (state?.laps ?? []).map((lap) => toTask(lap, lap.hasEnded ? { ...lap, result: resultOf(state, lap) } : open)),
		...(published && { published: state?.published ?? {} }),
		...(error !== undefined && { error: toErrorMessage(error), traceback: toTraceback(error) }),
	};
}

type ToldTask = Omit<OpenTask, "liveactionId"> & { readonly liveactionId: string | null };

function resultOf(state: ChainState | undefined, { number }: NodeRun): JsonObject | null {
	return state?.results.of(number) ?? null;
}

function toTask({ name, executionId, createdAt, updatedAt, status }: NodeRun, now: ToldTask | undefined): JsonObject {
	return {
		id: name,
		name,
		execution_id: executionId,
		liveaction_id: now?.liveactionId ?? null,
		workflow: null,
		created_at: createdAt,
		updated_at: updatedAt,
		state: now?.status ?? status,
		result: now?.result ?? null,
	};
}

/** Lists error names and messages only. Stack frames of the service do not help authors of chains, and would disclose its internals. */
function toTraceback(error: unknown): JsonValue {
	const causes: string[] = [];
	for (let cause = error; cause instanceof Error && causes.length < 10; cause = cause.cause) causes.push(`${cause.name}: ${cause.message}`);
	return causes.join("\ncaused by ");
}

/** Returns the end of the run: the status of its last task if that is `succeeded`, `timeout` or `canceled`, otherwise `failed`. */
export function toRunEnd({ status }: NodeRun, result: JsonObject): RunResult {
	if (status === "succeeded") return { succeeded: true, result };
	if (status === "timeout" || status === "canceled") return { succeeded: false, status, result };
	return { succeeded: false, status: "failed", result };
}
