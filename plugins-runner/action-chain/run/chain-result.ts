import { type JsonObject, type JsonValue, type RunResult, toErrorMessage } from "../../../core/contract/index.ts";
import type { ChainState, Lap } from "./chain-state.ts";

/** What the execution that is under way has come to, when the chain stands still or is ended. */
export interface OpenTask {
	readonly liveactionId: string;
	readonly status: string;
	readonly result: JsonObject | null;
}

export interface ChainResultOptions {
	/** Whether it tells what was published. */
	readonly published: boolean;
	readonly error?: unknown;
	readonly open?: OpenTask | undefined;
}

/** What a chain has come to: its tasks in the order of their start, what was published, and what has kept it from going on. */
export function toChainResult(state: ChainState | undefined, { published, error, open }: ChainResultOptions): JsonObject {
	return {
		tasks: (state?.laps ?? []).map((lap) => toTask(lap, lap.hasEnded ? { ...lap, result: resultOf(state, lap) } : open)),
		...(published && { published: state?.published ?? {} }),
		...(error !== undefined && { error: toErrorMessage(error), traceback: toTraceback(error) }),
	};
}

type ToldTask = Omit<OpenTask, "liveactionId"> & { readonly liveactionId: string | null };

function resultOf(state: ChainState | undefined, { number }: Lap): JsonObject | null {
	return state?.results.of(number) ?? null;
}

function toTask({ name, executionId, createdAt, updatedAt, status }: Lap, now: ToldTask | undefined): JsonObject {
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

/** Where in the service something was thrown is of no use to authors of chains, and tells how the machine is made up. */
function toTraceback(error: unknown): JsonValue {
	const causes: string[] = [];
	for (let cause = error; cause instanceof Error && causes.length < 10; cause = cause.cause) causes.push(`${cause.name}: ${cause.message}`);
	return causes.join("\ncaused by ");
}

/** A chain ends as the task that has run last. */
export function toRunEnd({ status }: Lap, result: JsonObject): RunResult {
	if (status === "succeeded") return { succeeded: true, result };
	if (status === "timeout" || status === "canceled") return { succeeded: false, status, result };
	return { succeeded: false, status: "failed", result };
}
