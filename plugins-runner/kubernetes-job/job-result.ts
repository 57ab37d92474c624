import type { JsonObject, RunResult } from "../../core/contract/index.ts";
import { createOutputResult, toExitCodeError } from "../_shell/index.ts";
import { type Condition, type Job, join, type Pod, stateOf } from "./kube-objects.ts";
import type { JobContext } from "./parameters.ts";

interface EndedJob {
	readonly context: JobContext;
	readonly name: string;
	readonly namespace: string;
	/** Last known state of the job, and of its pod. */
	readonly job: Job | undefined;
	readonly pod: Pod | undefined;
	/** Final condition of the job; undefined if the job no longer exists. */
	readonly end: Condition | undefined;
	/** True if the complete output of the container was read. */
	readonly isWhole: boolean;
}

/** Returns the result of an execution whose job has ended, or no longer exists. */
export function toRunResult(endedJob: EndedJob): RunResult {
	const { context, name, namespace, job, pod, end, isWhole } = endedJob;
	const ended = stateOf(pod)?.terminated;
	const isComplete = end?.type === "Complete" && !context.signal.aborted;
	const succeeded = isComplete && isWhole;
	const cut = isComplete && !isWhole ? `job ${name}: it succeeded, but its pod was deleted before all of its output was read` : undefined;
	const error = succeeded ? undefined : (cut ?? toError(endedJob));
	const began = toSeconds(ended?.startedAt ?? stateOf(pod)?.running?.startedAt);
	const result: JsonObject = {
		succeeded,
		failed: !succeeded,
		job: name,
		namespace,
		node: pod?.spec?.nodeName ?? "",
		return_code: ended?.exitCode ?? (succeeded ? 0 : -1),
		queued_seconds: toSpan(toSeconds(job?.metadata.creationTimestamp), began),
		run_seconds: toSpan(began, toSeconds(ended?.finishedAt)),
		...createOutputResult((type) => context.captured(type)),
		...(error === undefined ? {} : { error }),
	};
	const isLate = end?.reason === "DeadlineExceeded" && !context.signal.aborted;
	return { succeeded, result, ...(isLate ? { status: "timeout" as const } : {}) };
}

/** Exit codes of a program ended by TERM or KILL, the signals that the cluster sends when a pod is deleted. */
const signalled: ReadonlySet<number> = new Set([143, 137]);

/** Returns the error of the run. Returns undefined if the service ended the run, or if the exit code alone describes the failure. */
function toError({ context, name, pod, end }: EndedJob): string | undefined {
	// If this service ended the job, the reason of the abort is the error.
	if (context.signal.aborted) return undefined;
	if (end === undefined) return `job ${name}: it was deleted by another client`;
	if (end.reason === "DeadlineExceeded") return `job ${name}: it exceeded its time limit`;
	const ended = stateOf(pod)?.terminated;
	if (ended?.reason !== undefined && ended.reason !== "Error" && ended.reason !== "Completed")
		return `job ${name}: ${join(ended.reason, ended.message)}`;
	// A pod can also be deleted after its program has ended normally. Only these exit codes show that the deletion ended the program.
	if (pod?.metadata.deletionTimestamp !== undefined && signalled.has(ended?.exitCode ?? 0))
		return `job ${name}: its pod was deleted by another client`;
	if (ended !== undefined && ended.exitCode !== 0) {
		const error = toExitCodeError(ended.exitCode);
		return error === undefined ? undefined : `job ${name}: ${error}`;
	}
	// The pod was evicted, its node failed, or an administrator deleted it.
	const why = pod?.status?.reason === undefined ? join(end.reason ?? "Failed", end.message) : join(pod.status.reason, pod.status.message);
	return `job ${name}: ${why}`;
}

function toSeconds(text: string | undefined): number | undefined {
	const milliseconds = Date.parse(text ?? "");
	return Number.isNaN(milliseconds) ? undefined : milliseconds / 1_000;
}

function toSpan(from: number | undefined, to: number | undefined): number | null {
	return from === undefined || to === undefined ? null : Math.max(0, Math.round(to - from));
}
