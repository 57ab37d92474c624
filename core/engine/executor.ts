import { hostname } from "node:os";
import type {
	EventBus,
	ExecutionEntity,
	JsonObject,
	Options,
	OutputChunkEntity,
	Runner,
	Storage,
	TokenEntity,
	WriteOperation,
} from "../contract/index.ts";
import { type Clock, isSvcError, RunAborted } from "../contract/index.ts";
import type { Catalog } from "./catalog.ts";
import { toTimestamp } from "./clock.ts";
import type { StartedCredentials } from "./credentials.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { publishOutput, publishUpdated } from "./execution-events.ts";
import { createId } from "./ids.ts";
import { outlastOutage } from "./outage.ts";
import { type Outcome, toCanceled, toFailure, toOutcome } from "./outcome.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { createRecorder, type Recorder, toStoredChunk } from "./recorder.ts";
import { isCompleted } from "./status.ts";
import { applied, applyChange, toResultPatch, toStatusPatch } from "./transition.ts";

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

interface Run {
	readonly controller: AbortController;
	readonly fence: string | null;
	leaseExpiresAt: string;
	recorder: Recorder | undefined;
	/** The execution was taken away or ended by somebody else. */
	lost: boolean;
	/** The final status, and the end of the token with it, have been stored. */
	recorded: boolean;
}

export function createExecutor(parts: ExecutorOptions): Executor {
	const { storage, eventBus, clock, logger } = parts;
	const runs = new Map<string, Run>();
	const runnerInfo = { hostname: hostname(), pid: process.pid };
	const now = () => toTimestamp(clock.now());

	/** The whole life of a run, from claimed to final. */
	async function run(claimed: ExecutionEntity): Promise<void> {
		const { fence, lease_expires_at } = claimed;
		const run: Run = {
			controller: new AbortController(),
			fence,
			leaseExpiresAt: lease_expires_at ?? "",
			recorder: undefined,
			lost: false,
			recorded: false,
		};
		runs.set(claimed.id, run);
		try {
			const prepared = await prepare(claimed);
			if ("status" in prepared) {
				await finish(claimed, run, prepared);
				return;
			}
			const draft = draftToken(claimed);
			const running = await markRunning(claimed, draft?.entity);
			if (running === undefined) return;
			const secrets = draft === undefined ? prepared.secrets : [...prepared.secrets, draft.token];
			for (const secret of secrets) logger.addSecret(secret);
			try {
				const outcome = await perform(running, run, draft === undefined ? prepared : withToken(prepared, draft.token));
				await finish(running, run, outcome);
			} finally {
				for (const secret of secrets) logger.forgetSecret(secret);
				if (draft !== undefined && !run.recorded) await dropToken(draft.entity.id);
			}
		} catch (error) {
			if (run.lost) logger.info("run was ended: its execution has been ended elsewhere", { execution_id: claimed.id });
			else logger.error("execution could not be recorded", { execution_id: claimed.id, error });
		} finally {
			if (runs.get(claimed.id) === run) runs.delete(claimed.id);
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
	async function markRunning(execution: ExecutionEntity, token: TokenEntity | undefined): Promise<ExecutionEntity | undefined> {
		const patch = { ...toStatusPatch(execution, "running", now()), runner_info: runnerInfo, attempt: execution.attempt + 1 };
		try {
			await storage.write([
				{ update: "execution", id: execution.id, patch, expected: { status: "scheduled", fence: execution.fence } },
				...(token === undefined ? [] : [{ insert: "token", entities: [token] } as const]),
			]);
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			// A cancel was faster; it has written the final state itself.
			logger.debug("execution was taken back before it ran", { execution_id: execution.id });
			return undefined;
		}
		const running = applied(execution, patch);
		publishUpdated(eventBus, running);
		return running;
	}

	/** The action's own way into the API. It has the live action's id, so that whoever ends the run can take it away. */
	function draftToken({ liveaction_id, user, action_ref }: ExecutionEntity) {
		return parts.credentials.draftServiceToken(liveaction_id, user, {
			service: "actionrunner",
			action: action_ref,
			liveaction: liveaction_id,
		});
	}

	/** The token of a run that somebody else has ended. */
	async function dropToken(id: string): Promise<void> {
		await parts.credentials
			.removeToken(id)
			.catch((error: unknown) => logger.warn("token of an ended run was not removed", { token_id: id, error }));
	}

	async function perform(execution: ExecutionEntity, run: Run, prepared: PreparedRun): Promise<Outcome> {
		const recorder = createRecorder({
			store: (chunks) => storeOutput(execution.id, run, chunks),
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

	/** While the lease is in force nobody else can have ended the run; after that each write asks whether somebody has. */
	async function storeOutput(id: string, run: Run, chunks: readonly OutputChunkEntity[]): Promise<void> {
		await outlast(run, async () => {
			if (now() < run.leaseExpiresAt) return storage.insert("output_chunk", chunks);
			const { fence } = run;
			return storage.write([
				{ insert: "output_chunk", entities: chunks },
				{ update: "execution", id, patch: { fence }, expected: { fence } },
			]);
		});
	}

	/** An outage of the storage delays a run and does not end it, unless the service stops or the run is lost meanwhile. */
	function outlast(run: Run, store: () => Promise<void>): Promise<void> {
		const { signal } = run.controller;
		const isOver = () => run.lost || (signal.reason instanceof RunAborted && signal.reason.kind === "shutdown");
		return outlastOutage(store, { isOver, onOutage: (error) => logger.warn("storage is away, a run waits for it", { error }) });
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
			const patch = { ...toStatusPatch(current, ended.status, now()), ...toResultPatch(ended.result) };
			try {
				const operations: WriteOperation[] = [
					{ update: "execution", id: execution.id, patch, expected: { status: current.status, fence: run.fence } },
					{ remove: "token", where: { id: execution.liveaction_id } },
				];
				if (chunks.length > 0) operations.push({ insert: "output_chunk", entities: chunks.map(toStoredChunk) });
				await outlast(run, () => storage.write(operations));
				for (const chunk of chunks) publishOutput(eventBus, chunk);
				run.recorded = true;
				parts.credentials.forgetToken(execution.liveaction_id);
				publishUpdated(eventBus, applied(current, patch));
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

function withToken(prepared: PreparedRun, token: string): PreparedRun {
	const environment = { ...prepared.context.environment, SVC_ACTION_AUTH_TOKEN: token };
	return { ...prepared, context: { ...prepared.context, environment } };
}

function startTimeout(controller: AbortController, seconds: number | undefined): NodeJS.Timeout | undefined {
	if (seconds === undefined) return undefined;
	// Timers overflow beyond 2^31 milliseconds and would fire at once.
	const milliseconds = Math.min(seconds * 1_000, 2_147_483_647);
	return setTimeout(() => controller.abort(new RunAborted("timeout", `Action failed to complete in ${seconds} seconds`)), milliseconds);
}
