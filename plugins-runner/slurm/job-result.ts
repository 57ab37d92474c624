import type { JsonObject, RunResult } from "../../core/contract/index.ts";
import { createOutputResult, toSignalError } from "../_shell/index.ts";
import type { JobDirectory } from "./job-directory.ts";
import type { TaskState } from "./job-state.ts";
import { readJobFile } from "./open-job-file.ts";
import type { SlurmContext } from "./parameters.ts";

/** End of a task. The state is Slurm's, or `LOST` if Slurm has no record of the task and no exit code was written. */
export interface TaskEnd {
	readonly state: string;
	readonly return_code: number;
	readonly error: string | undefined;
	readonly queued_seconds: number | null;
	readonly run_seconds: number | null;
	readonly nodes: string;
}

/** Explanations of Slurm's states, shown in the result of the execution. */
const meanings: Readonly<Record<string, string>> = {
	BOOT_FAIL: "its Slurm node did not start",
	CANCELLED: "it was canceled in Slurm by another client",
	DEADLINE: "it exceeded its deadline",
	LOST: "Slurm no longer knows it, and it left no exit code",
	NODE_FAIL: "its Slurm node failed",
	OUT_OF_MEMORY: "it exceeded its memory limit",
	PREEMPTED: "it was preempted by another job",
	REVOKED: "it was revoked",
	TIMEOUT: "it exceeded its time limit",
};

/**
 * Returns the end of a task.
 * @param task State of the task; undefined if Slurm has no record of it any more.
 */
export async function toTaskEnd(task: TaskState | undefined, index: number, directory: JobDirectory): Promise<TaskEnd> {
	if (task === undefined) return toForgottenEnd(index, directory);
	const signal = task.exitStatus & 0x7f;
	const code = signal > 0 ? -signal : task.exitStatus >> 8;
	const succeeded = task.state === "COMPLETED" && code === 0;
	// Slurm can end a job whose program has already exited, or has never started. The exit code 0 has no meaning then.
	const return_code = code === 0 && !succeeded ? -1 : code;
	const why = meanings[task.state] ?? (isOwnEnd(task) ? toSignalError(code) : "Slurm could not start it or ended it");
	return {
		state: task.state,
		return_code,
		error: why === undefined ? undefined : `${why}${task.reason === "" || task.reason === task.state ? "" : ` (${task.reason})`}`,
		queued_seconds: toSpan(task.submitted, task.started ?? task.ended),
		run_seconds: task.started === undefined ? 0 : toSpan(task.started, task.ended),
		nodes: task.nodes,
	};
}

/**
 * Returns true if the exit code alone explains the end. Slurm also reports `FAILED` for its own errors, such as a node that could not start
 * the job.
 */
function isOwnEnd({ state, reason }: TaskState): boolean {
	return state !== "FAILED" || reason === "" || reason === "NonZeroExitCode" || reason.startsWith("RaisedSignal");
}

async function toForgottenEnd(index: number, directory: JobDirectory): Promise<TaskEnd> {
	const code = await directory.readStatus(index);
	const unknown = { queued_seconds: null, run_seconds: null, nodes: "" };
	if (code === undefined) return { state: "LOST", return_code: -1, error: meanings["LOST"], ...unknown };
	return { state: code === 0 ? "COMPLETED" : "FAILED", return_code: code, error: undefined, ...unknown };
}

function toSpan(from: number | undefined, to: number | undefined): number | null {
	return from === undefined || to === undefined ? null : Math.max(0, to - from);
}

interface EndedJob {
	readonly context: SlurmContext;
	readonly jobId: string;
	readonly directory: JobDirectory;
	readonly ends: readonly TaskEnd[];
	readonly isArray: boolean;
	/** Maximum bytes of output in the result, for all tasks together. */
	readonly limit: number;
}

/** Returns the result of an execution whose job has ended. */
export async function toRunResult({ context, jobId, directory, ends, isArray, limit }: EndedJob): Promise<RunResult> {
	const worst = ends.find(({ state, return_code }) => state !== "COMPLETED" || return_code !== 0) ?? ends[0];
	if (worst === undefined) throw new Error("a job without tasks");
	const succeeded = !context.signal.aborted && worst.state === "COMPLETED" && worst.return_code === 0;
	const result: JsonObject = {
		succeeded,
		failed: !succeeded,
		// If this service ended the job, the reason of the abort is the error.
		...toJson(context.signal.aborted ? { ...worst, error: undefined } : worst, jobId),
		...(isArray ? { queued_seconds: longest(ends, "queued_seconds"), run_seconds: longest(ends, "run_seconds") } : {}),
		...createOutputResult((type) => context.captured(type)),
		...(isArray ? { tasks: await toTasks(directory, ends, limit) } : {}),
	};
	const status = !context.signal.aborted && worst.state === "TIMEOUT" ? { status: "timeout" as const } : {};
	return { succeeded, result, ...status };
}

function toJson({ error, nodes, ...end }: TaskEnd, jobId: string): JsonObject {
	return { job_id: jobId, ...end, nodes, ...(error === undefined ? {} : { error: `job ${jobId}: ${error}` }) };
}

function longest(ends: readonly TaskEnd[], name: "queued_seconds" | "run_seconds"): number | null {
	const known = ends.map((end) => end[name]).filter((seconds) => seconds !== null);
	return known.length === 0 ? null : Math.max(...known);
}

async function toTasks(directory: JobDirectory, ends: readonly TaskEnd[], limit: number): Promise<readonly JsonObject[]> {
	const each = Math.max(256, Math.floor(limit / ends.length / 2));
	const tasks: JsonObject[] = [];
	for (const [index, { error, ...end }] of ends.entries()) {
		const [stdout, stderr] = [
			await readStart(directory.output("stdout", index), each),
			await readStart(directory.output("stderr", index), each),
		];
		tasks.push({
			index,
			succeeded: end.state === "COMPLETED" && end.return_code === 0,
			...end,
			stdout,
			stderr,
			...(error === undefined ? {} : { error }),
		});
	}
	return tasks;
}

/** Returns the beginning of a file, without its trailing newline. */
async function readStart(path: string, most: number): Promise<string> {
	const text = (await readJobFile(path, most)) ?? "";
	return Buffer.byteLength(text) >= most ? text : text.replace(/\n$/, "");
}
