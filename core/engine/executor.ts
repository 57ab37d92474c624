import { hostname } from "node:os";
import type { EventBus, ExecutionEntity, ExecutionStatus, JsonObject, Options, Runner, RunResult, Storage } from "../contract/index.ts";
import { type Clock, isSvcError, RunAborted, toErrorMessage } from "../contract/index.ts";
import type { Catalog } from "./catalog.ts";
import { toTimestamp } from "./clock.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { publishOutput, publishUpdated } from "./execution-events.ts";
import { createId } from "./ids.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { createRecorder, type Recorder, toStoredChunk } from "./recorder.ts";
import { isCompleted } from "./status.ts";
import { applyChange, toResultPatch, toStatusPatch } from "./transition.ts";

export interface ExecutorOptions {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: Clock;
	readonly logger: EngineDependencies["logger"];
	readonly catalog: Catalog;
	readonly runners: ReadonlyMap<string, Runner>;
	readonly options: Options;
	readonly apiUrl: () => string;
}

/** Runs claimed executions to their end. */
export interface Executor {
	/** Never rejects: whatever happens is recorded in the execution, or logged when that is impossible. */
	run(execution: ExecutionEntity): Promise<void>;
	/** End a run of this node; false when it is not running here. */
	abort(executionId: string, reason: RunAborted): boolean;
	/** End every run. */
	abortAll(reason: RunAborted): void;
	/** Whether the execution runs here. */
	holds(executionId: string): boolean;
	/** Ids and fences of what runs here. */
	held(): ReadonlyMap<string, string | null>;
	/** The execution is no longer this node's: end the run and write nothing more. */
	lose(executionId: string): void;
}

interface Run {
	readonly controller: AbortController;
	readonly fence: string | null;
	recorder: Recorder | undefined;
	/** The execution was taken away or ended by somebody else. */
	lost: boolean;
}

/** How a run ended, before it is recorded. */
interface Outcome {
	readonly status: ExecutionStatus;
	readonly result: JsonObject;
}

export function createExecutor(parts: ExecutorOptions): Executor {
	const { storage, eventBus, clock, logger } = parts;
	const runs = new Map<string, Run>();
	const runnerInfo = { hostname: hostname(), pid: process.pid };
	const now = () => toTimestamp(clock.now());

	/** The whole life of a run, from claimed to final. */
	async function run(claimed: ExecutionEntity): Promise<void> {
		const run: Run = { controller: new AbortController(), fence: claimed.fence, recorder: undefined, lost: false };
		runs.set(claimed.id, run);
		try {
			const prepared = await prepare(claimed);
			if ("status" in prepared) {
				await finish(claimed, run, prepared);
				return;
			}
			const running = await markRunning(claimed);
			if (running === undefined) return;
			for (const secret of prepared.secrets) logger.addSecret(secret);
			try {
				const outcome = await perform(running, run, prepared);
				await finish(running, run, outcome);
			} finally {
				for (const secret of prepared.secrets) logger.forgetSecret(secret);
			}
		} catch (error) {
			if (run.lost) logger.info("run was ended: its execution has been ended elsewhere", { execution_id: claimed.id });
			else logger.error("execution could not be recorded", { execution_id: claimed.id, error });
		} finally {
			runs.delete(claimed.id);
		}
	}

	/** Runner and final parameters, or the outcome when there can be no run. */
	async function prepare(execution: ExecutionEntity): Promise<PreparedRun | Outcome> {
		try {
			const snapshot = await parts.catalog.snapshot(execution.snapshot_id);
			return await prepareRun(execution, snapshot, parts);
		} catch (error) {
			return toFailure(error);
		}
	}

	/** The state is on disk before the runner starts: an execution found `scheduled` has certainly not been started. */
	async function markRunning(execution: ExecutionEntity): Promise<ExecutionEntity | undefined> {
		const running = await applyChange(
			parts,
			execution.id,
			{ ...toStatusPatch(execution, "running", now()), runner_info: runnerInfo, attempt: execution.attempt + 1 },
			{ status: "scheduled", fence: execution.fence },
		);
		// A cancel was faster; it has written the final state itself.
		if (running === undefined) logger.debug("execution was taken back before it ran", { execution_id: execution.id });
		return running;
	}

	async function perform(execution: ExecutionEntity, run: Run, prepared: PreparedRun): Promise<Outcome> {
		const recorder = createRecorder({
			storage,
			eventBus,
			executionId: execution.id,
			actionRef: execution.action_ref,
			runnerRef: execution.runner_name,
			createId: () => createId(clock),
			timestamp: now,
			after: 0,
			maxResultOutput: parts.options.actionrunner.max_result_output,
			streamOutput: parts.options.actionrunner.stream_output,
		});
		run.recorder = recorder;
		const timer = startTimeout(run.controller, prepared.timeout);
		try {
			const result = await prepared.runner.run({
				...prepared.context,
				signal: run.controller.signal,
				emit: recorder.emit,
				captured: recorder.captured,
				setRunnerInfo: (info) => void storeRunnerInfo(execution, { ...runnerInfo, ...info }),
			});
			return toOutcome(result, run.controller.signal, execution);
		} catch (error) {
			const { signal } = run.controller;
			return signal.aborted ? toOutcome({ succeeded: false, result: {} }, signal, execution) : toFailure(error);
		} finally {
			clearTimeout(timer);
		}
	}

	async function storeRunnerInfo(execution: ExecutionEntity, info: JsonObject): Promise<void> {
		try {
			await applyChange(parts, execution.id, { runner_info: info }, { status: "running", fence: execution.fence });
		} catch (error) {
			logger.warn("runner info was not stored", { execution_id: execution.id, error });
		}
	}

	/** The last output and the final status in one write; nothing is final before its output is stored. */
	async function finish(execution: ExecutionEntity, run: Run, outcome: Outcome): Promise<void> {
		let ended = outcome;
		const chunks = (await run.recorder?.finish()) ?? [];
		for (let current = execution; ; ) {
			if (current.status === "canceling") ended = toCanceled(current, ended.result);
			const timestamp = now();
			const patch = { ...toStatusPatch(current, ended.status, timestamp), ...toResultPatch(ended.result) };
			try {
				await storage.write([
					...(chunks.length > 0 ? [{ insert: "output_chunk", entities: chunks.map(toStoredChunk) } as const] : []),
					{ update: "execution", id: execution.id, patch, expected: { status: current.status, fence: run.fence } },
				]);
				for (const chunk of chunks) publishOutput(eventBus, chunk);
				publishUpdated(eventBus, { ...current, ...patch, log: [...current.log, { status: ended.status, timestamp }] } as ExecutionEntity);
				return;
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				const read = await storage.get("execution", execution.id);
				if (read === undefined || read.fence !== run.fence || isCompleted(read.status)) {
					logger.warn("result came too late and was refused", { execution_id: execution.id, status: read?.status });
					return;
				}
				current = read;
			}
		}
	}

	function abort(executionId: string, reason: RunAborted): boolean {
		const run = runs.get(executionId);
		run?.controller.abort(reason);
		return run !== undefined;
	}

	return {
		run,
		abort,
		abortAll(reason) {
			for (const run of runs.values()) run.controller.abort(reason);
		},
		holds: (executionId) => runs.has(executionId),
		held: () => new Map([...runs].map(([id, { fence }]) => [id, fence])),
		lose(executionId) {
			const run = runs.get(executionId);
			if (run === undefined) return;
			run.lost = true;
			const reason = new RunAborted("cancel", "the execution is no longer this node's");
			run.recorder?.fail(reason);
			run.controller.abort(reason);
		},
	};
}

function startTimeout(controller: AbortController, seconds: number | undefined): NodeJS.Timeout | undefined {
	if (seconds === undefined) return undefined;
	// Timers overflow beyond 2^31 milliseconds and would fire at once.
	const milliseconds = Math.min(seconds * 1_000, 2_147_483_647);
	return setTimeout(() => controller.abort(new RunAborted("timeout", `Action failed to complete in ${seconds} seconds`)), milliseconds);
}

/** What the runner says, unless the run was ended: then the reason decides. */
function toOutcome(result: RunResult, signal: AbortSignal, execution: ExecutionEntity): Outcome {
	const reason: unknown = signal.reason;
	// A run that succeeded before it noticed the signal did succeed.
	if (!signal.aborted || result.succeeded || !(reason instanceof RunAborted)) {
		return { status: result.succeeded ? "succeeded" : (result.status ?? "failed"), result: result.result };
	}
	if (reason.kind === "cancel") return toCanceled(execution, result.result);
	const error = typeof result.result["error"] === "string" ? result.result["error"] : reason.message;
	return { status: reason.kind === "timeout" ? "timeout" : "abandoned", result: { ...result.result, error } };
}

function toCanceled(execution: ExecutionEntity, result: JsonObject): Outcome {
	const user = execution.context["cancelled_by"] ?? execution.user;
	return { status: "canceled", result: { ...result, message: "Action canceled by user.", user } };
}

/** The runner could not do its work (reference A.1.3): message and stack, nothing else. */
function toFailure(error: unknown): Outcome {
	const traceback = error instanceof Error ? (error.stack ?? error.message) : String(error);
	return { status: "failed", result: { error: toErrorMessage(error), traceback } };
}
