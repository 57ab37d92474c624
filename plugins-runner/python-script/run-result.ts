import { type JsonObject, type JsonValue, RunAborted, type RunContext, type RunResult } from "../../core/contract/index.ts";
import { toSignalError } from "../_shell/index.ts";
import type { PythonEnd } from "./engine.ts";

/** Value of `result` if the action returned no result. */
const none = "None";

/**
 * Returns the result of the execution, by the same rules for all engines.
 *
 * @param engine name and version of the engine, shown in the result
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

/** Returns stdout and stderr as written. `truncated` contains the original size in bytes of each truncated channel. */
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
