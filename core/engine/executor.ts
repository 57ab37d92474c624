import type { EventBus, ExecutionEntity, Options, Runner, Storage } from "../contract/index.ts";
import { type Clock, RunAborted } from "../contract/index.ts";
import type { Catalog } from "./catalog.ts";
import { toTimestamp } from "./clock.ts";
import type { StartedCredentials } from "./credentials.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { createId } from "./ids.ts";
import { type Outcome, toFailure, toOutcome } from "./outcome.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { createRecorder } from "./recorder.ts";
import { createRun, type Run, startTimeout } from "./run.ts";
import { createRunRecords } from "./run-records.ts";
import { draftRunToken, dropRunToken, withToken } from "./run-token.ts";

export interface ExecutorOptions {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: Clock;
	readonly logger: EngineDependencies["logger"];
	readonly catalog: Catalog;
	readonly runners: ReadonlyMap<string, Runner>;
	readonly options: Options;
	readonly apiUrl: () => string;
	readonly credentials: Pick<StartedCredentials, "draftServiceToken" | "removeToken" | "forgetToken">;
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
	/** The lease of a run has been renewed. */
	prolong(executionId: string, leaseExpiresAt: string): void;
	/** The execution is no longer this node's: end the run and write nothing more. */
	lose(executionId: string): void;
}

export function createExecutor(parts: ExecutorOptions): Executor {
	const { eventBus, clock, logger } = parts;
	const runs = new Map<string, Run>();
	const records = createRunRecords(parts);

	/** The whole life of a run, from claimed to final. */
	async function run(claimed: ExecutionEntity): Promise<void> {
		const run = createRun(claimed);
		runs.set(claimed.id, run);
		try {
			const prepared = await prepare(claimed);
			if ("status" in prepared) await records.finish(claimed, run, prepared);
			else await begin(claimed, run, prepared);
		} catch (error) {
			if (run.lost) logger.info("run was ended: its execution has been ended elsewhere", { execution_id: claimed.id });
			else logger.error("execution could not be recorded", { execution_id: claimed.id, error });
		} finally {
			if (runs.get(claimed.id) === run) runs.delete(claimed.id);
		}
	}

	/** Give the action its token, and run it. */
	async function begin(claimed: ExecutionEntity, run: Run, prepared: PreparedRun): Promise<void> {
		const draft = draftRunToken(claimed, parts);
		const running = await records.markRunning(claimed, draft?.entity);
		if (running === undefined) return;
		try {
			await runToEnd(running, run, draft === undefined ? prepared : withToken(prepared, draft.token));
		} finally {
			if (draft !== undefined && !run.recorded) await dropRunToken(draft.entity.id, parts);
		}
	}

	async function runToEnd(execution: ExecutionEntity, run: Run, prepared: PreparedRun): Promise<void> {
		for (const secret of prepared.secrets) logger.addSecret(secret);
		try {
			await records.finish(execution, run, await perform(execution, run, prepared));
		} finally {
			for (const secret of prepared.secrets) logger.forgetSecret(secret);
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

	async function perform(execution: ExecutionEntity, run: Run, prepared: PreparedRun): Promise<Outcome> {
		const recorder = createRecorder({
			store: (chunks) => records.storeOutput(execution, run, chunks),
			eventBus,
			executionId: execution.id,
			actionRef: execution.action_ref,
			runnerRef: execution.runner_name,
			createId: () => createId(clock),
			timestamp: () => toTimestamp(clock.now()),
			after: 0,
			maxResultOutput: parts.options.actionrunner.max_result_output,
			streamOutput: parts.options.actionrunner.stream_output,
		});
		run.recorder = recorder;
		const timer = startTimeout(run, prepared.timeout);
		try {
			const result = await prepared.runner.run({
				...prepared.context,
				signal: run.controller.signal,
				emit: recorder.emit,
				captured: recorder.captured,
				setRunnerInfo: (info) => void records.storeRunnerInfo(execution, info),
				announce: () => {},
				dispatch: async () => "",
				saveState: async () => {},
			});
			return toOutcome(result, run.controller.signal, execution);
		} catch (error) {
			const { signal } = run.controller;
			return signal.aborted ? toOutcome({ succeeded: false, result: {} }, signal, execution) : toFailure(error);
		} finally {
			clearTimeout(timer);
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
		prolong(executionId, leaseExpiresAt) {
			const run = runs.get(executionId);
			if (run !== undefined) run.leaseExpiresAt = leaseExpiresAt;
		},
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
