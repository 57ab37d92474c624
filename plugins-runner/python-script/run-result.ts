import { type JsonObject, type JsonValue, RunAborted, type RunContext, type RunResult } from "../../core/contract/index.ts";
import { toSignalError } from "../_shell/index.ts";
import type { PythonEnd } from "./engine.ts";

/** What `result` holds when the action came to no result. */
const none = "None";

/**
 * The result of the execution: one rule for all engines.
 *
 * @param engine what has run it, as people are told
 */
export function toRunResult(context: RunContext, engine: string, timeout: number, end: PythonEnd): RunResult {
	const { report } = end;
	if (report !== undefined && "failure" in report && !context.signal.aborted)
		return { succeeded: false, result: { ...report.failure, engine } };
	const timedOut = context.signal.reason instanceof RunAborted && context.signal.reason.kind === "timeout";
	const returned = timedOut || report === undefined || "failure" in report ? undefined : report;
	const succeeded = end.exitCode === 0 && end.error === undefined && returned?.status !== false && !context.signal.aborted;
	const ended = end.error ?? (context.signal.aborted ? undefined : toSignalError(end.exitCode));
	const error = timedOut ? `Action failed to complete in ${timeout} seconds` : ended;
	const result = {
		result: returned === undefined ? none : returned.result,
		exit_code: timedOut ? -9 : end.exitCode,
		...createOutput(context),
		engine,
		...(error === undefined ? {} : { error }),
	};
	return { succeeded, result };
}

/** stdout and stderr as they were; `truncated` says how many bytes there were of what was cut. */
function createOutput(context: RunContext): JsonObject {
	const output: Record<string, JsonValue> = {};
	const truncated: Record<string, number> = {};
	for (const type of ["stdout", "stderr"] as const) {
		const captured = context.captured(type);
		output[type] = captured.text;
		if (captured.truncated) truncated[type] = captured.bytes;
	}
	return Object.keys(truncated).length === 0 ? output : { ...output, truncated };
}
