import { type ExecutionEntity, isSvcError, type JsonObject, RunAborted } from "../../contract/index.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { toRunResult } from "../basics/plugin-results.ts";
import type { LeasePolicy } from "../coordination/lease-duration.ts";
import type { StaleWrites } from "../coordination/stale-writes.ts";
import type { Dispatcher } from "../events/event-dispatcher-api.ts";
import type { TriggerTypeRegistry } from "../events/trigger-type-registry.ts";
import type { ActionCatalog } from "../executions/action-catalog.ts";
import type { CompletionEffects } from "../executions/completion-effects.ts";
import type { BulkOutput } from "../output/bulk-output.ts";
import type { EngineDependencies } from "../plugins/engine-dependencies.ts";
import type { TemplateSources } from "../submission/parameter-rendering.ts";
import type { TelemetryHub } from "../telemetry/telemetry-hub.ts";
import { ActiveRuns, type RunState } from "./active-runs.ts";
import type { ChildStarterOptions } from "./children/child-starter.ts";
import { NodeChildren } from "./children/node-children.ts";
import { type RunOutcome, toFailure } from "./outcome.ts";
import { type ActiveRun, type PreparedRun, prepareRun } from "./prepare-run.ts";
import { RunCompletion } from "./run-completion.ts";
import { type RunCredentials, revokeRunCredentials, withCredentials, withRestoredCredentials } from "./run-credentials.ts";
import { hideInLog, toStoredOutcome, toStoredPause } from "./run-secrets.ts";
import { type RunStart, RunWrites } from "./run-writes.ts";
import { RunnerCaller, type RunnerInvocation } from "./runner-call.ts";

export interface ExecutorOptions
	extends Uses<"storage" | "eventBus" | "clock" | "runners" | "options" | "authority" | "sealedSecrets" | "dialects" | "isWorkflow"> {
	readonly leasing: LeasePolicy;
	readonly logger: EngineDependencies["logger"];
	readonly catalog: ActionCatalog;
	readonly apiUrl: () => string;
	readonly dataDirectory: string;
	readonly runCredentials: RunCredentials;
	readonly endings: CompletionEffects;
	readonly dispatcher: Pick<Dispatcher, "dispatch">;
	readonly triggerTypes: TriggerTypeRegistry;
	readonly templateSources: TemplateSources;
	readonly hub: Pick<TelemetryHub, "tracing">;
	readonly bulkOutput: BulkOutput;
	readonly staleWrites: Pick<StaleWrites, "recordRefusal">;
	readonly admitAll: ChildStarterOptions["admitAll"];
	/** Called when a run begins to wait for its children, which frees its slot. */
	readonly onSlotFreed: () => void;
}

/**
 * Carries out claimed executions: prepares the run, calls the runner, and stores how the run ended.
 *
 * What `run` does depends on the status of the claimed execution:
 *
 * - `scheduled`: the status becomes `running` before the runner is called. So a `scheduled` execution has certainly not started.
 * - `resuming`: the execution was paused. The status becomes `running`, and the runner continues with `recover`.
 * - `running`, `pausing` or `canceling`, with a stored run state: an earlier claim may have started the run, and `recover` continues it.
 * - `running` without a run state: only this node can have stored that, in the write that inserted the execution. The run starts as usual.
 *
 * How the run ends:
 *
 * - With a final status or `pending`. The remaining output, the status and the completion effects are one write.
 * - With `paused` or `resuming`. The remaining output is stored, the lease is released, and the state of the run is kept.
 * - By a hand-over during shutdown. The status stays, the lease is released, and another process recovers the run.
 *
 * An execution that cannot be prepared ends `failed`, and its runner is not called. While the storage is unavailable, preparing the run and
 * storing its states wait.
 *
 * What may happen at the same time:
 *
 * - A cancel of a `scheduled` execution stores the final status itself. The start of the run then conflicts and does nothing.
 * - Later, a cancel, a pause, the time-out or a shutdown aborts a signal of the run. The runner decides when it resolves. If a cancel is
 *   stored before the end, the end becomes `canceled`.
 * - The lease may expire while the run continues here, for example because the process was suspended. Another node may then run the same
 *   execution. Writes about the run expect the fence of the claim, unless no other node can exist. With another fence they change nothing.
 * - This node may claim an execution again before its lost run has ended. Both runs exist here for a while, each with its own fence.
 */
export class Executor {
	/** Runs that this node carries out now. */
	readonly runs = new ActiveRuns();
	readonly children: NodeChildren;
	readonly runWrites: RunWrites;
	readonly #parts: ExecutorOptions;
	readonly #completion: RunCompletion;
	readonly #runnerCaller: RunnerCaller;

	constructor(parts: ExecutorOptions) {
		this.#parts = parts;
		this.runWrites = new RunWrites(parts);
		this.#completion = new RunCompletion(parts);
		this.children = new NodeChildren({ ...parts, runWrites: this.runWrites });
		this.#runnerCaller = new RunnerCaller({
			...parts,
			children: this.children,
			runs: this.runs,
			runWrites: this.runWrites,
			fail: (execution, error) => this.#toFailedOutcome(execution, error),
		});
	}

	/**
	 * Runs a claimed execution to its final state. A run that another process has started is continued. Never rejects: an error is recorded
	 * in the execution, or logged if that is impossible.
	 *
	 * @param preparedInline the prepared run of an execution that was stored as running when it was inserted
	 */
	async run(claimed: ExecutionEntity, preparedInline?: PreparedRun): Promise<void> {
		const run = this.runs.add(claimed);
		try {
			if (preparedInline !== undefined) return await this.#startStored({ execution: claimed, run, prepared: preparedInline });
			const prepared = await this.#prepareOrFail(claimed, run);
			if ("status" in prepared) await this.#completion.finish(claimed, run, prepared);
			else if (isNotStarted(claimed)) await this.#start({ execution: claimed, run, prepared });
			else await this.#resume({ execution: claimed, run, prepared: withRestoredCredentials(prepared, this.#parts.runCredentials) });
		} catch (error) {
			if (run.isLost) this.#parts.staleWrites.recordRefusal("end of a run", { execution_id: claimed.id });
			else this.#parts.logger.error("execution could not be recorded", { execution_id: claimed.id, error });
		} finally {
			this.runs.remove(claimed.id, run);
		}
	}

	/** Returns true if the runner may be able to continue the run of this execution, which another process has started. */
	canRecover({ run_state, runner_name }: ExecutionEntity): boolean {
		const runner = this.#parts.runners.get(runner_name);
		return run_state !== null && runner?.capabilities.recovery === true && runner.recover !== undefined;
	}

	/**
	 * Returns runner and final parameters, or the outcome of an execution that cannot run. Waits while the storage is unavailable; rejects
	 * with `SVC_UNAVAILABLE` if the run is aborted meanwhile.
	 */
	async #prepareOrFail(execution: ExecutionEntity, run: RunState): Promise<PreparedRun | RunOutcome> {
		const { logger } = this.#parts;
		let prepared: PreparedRun | undefined;
		const attempt = async () => {
			prepared = await this.prepare(execution);
		};
		try {
			await retryWhileUnavailable(attempt, {
				shouldGiveUp: () => run.controller.signal.aborted,
				signal: run.controller.signal,
				onUnavailable: (error) => logger.warn("storage is away, a run waits for it", { execution_id: execution.id, error }),
			});
			return prepared as PreparedRun;
		} catch (error) {
			// The run has not started. Once the lease has expired, a node that reaches the storage recovers the execution.
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			return this.#toFailedOutcome(execution, error);
		}
	}

	/** Returns runner and final parameters of an execution. Rejects if it cannot run. */
	async prepare(execution: ExecutionEntity): Promise<PreparedRun> {
		return prepareRun(execution, await this.#parts.catalog.snapshot(execution.snapshot_id), this.#parts);
	}

	/**
	 * Issues the run's credentials for the service. Returns the prepared run with them, and the fields that the start of the run stores.
	 */
	issueCredentials(claimed: ExecutionEntity, prepared: PreparedRun): { readonly granted: PreparedRun; readonly begin: RunStart } {
		const credentials = this.#parts.runCredentials.issue(claimed);
		const granted = credentials === undefined ? prepared : withCredentials(prepared, credentials);
		// A workflow stores each decision in its journal before it acts, so it can be continued from the start: an empty journal begins
		// anew.
		const storesStepsFirst = prepared.runner.capabilities.workflow === true;
		const startSecrets = storesStepsFirst
			? this.#parts.sealedSecrets.addToken(prepared.encryptedSecrets, granted.secrets)
			: prepared.encryptedSecrets;
		return {
			granted,
			begin: { encryptedSecrets: startSecrets, isResumable: storesStepsFirst, token_hash: credentials?.token_hash ?? null },
		};
	}

	/** Issues credentials, stores the execution as running, and runs it. Returns early if the execution was canceled before. */
	async #start({ execution: claimed, run, prepared }: ActiveRun): Promise<void> {
		const { granted, begin } = this.issueCredentials(claimed, prepared);
		const execution = await this.runWrites.markRunning(claimed, run, begin);
		if (execution !== undefined) await this.#runFromStart({ execution, run, prepared: granted });
	}

	/** Runs an execution that was stored as running in the write that inserted it, unless this node has lost it since. */
	async #startStored(activeRun: ActiveRun): Promise<void> {
		const { execution, run } = activeRun;
		if (await this.runWrites.isStillHeld(execution, run)) await this.#runFromStart(activeRun);
		else this.#parts.staleWrites.recordRefusal("begin of a run", { execution_id: execution.id });
	}

	async #runFromStart(activeRun: ActiveRun): Promise<void> {
		const { execution, run, prepared } = activeRun;
		const invokeRunner: RunnerInvocation = async (context) => toRunResult(await prepared.runner.run(context), execution.runner_name);
		try {
			await this.#runToEnd(activeRun, invokeRunner);
		} finally {
			// No process can continue this run, so its token would stay valid without use.
			if (prepared.secrets.token !== undefined && !run.isEndStored && !run.isResumable) await revokeRunCredentials(execution, this.#parts);
		}
	}

	/** Continues a run that another process has started, or that was paused. The token of the run stays valid. */
	async #resume({ execution: claimed, run, prepared }: ActiveRun): Promise<void> {
		const execution = claimed.status === "resuming" ? await this.runWrites.markResumed(claimed, run) : claimed;
		if (execution === undefined) return;
		const { state } = (execution.run_state ?? {}) as { readonly state?: JsonObject };
		run.isResumable = true;
		this.#parts.logger.info("run is looked for", { execution_id: execution.id, runner: execution.runner_name });
		await this.runWrites.storeRunnerInfo(execution, run, {});
		// The notification of such a request went to the process that held the run before.
		if (execution.status === "canceling") run.controller.abort(new RunAborted("cancel", "canceled by user"));
		if (execution.status === "pausing") run.pauseController.abort();
		await this.#runToEnd({ execution, run, prepared }, async (context) => prepared.runner.recover?.(context, state ?? {}));
	}

	async #runToEnd(activeRun: ActiveRun, invokeRunner: RunnerInvocation): Promise<void> {
		const { execution, run, prepared } = activeRun;
		const { logger, staleWrites, sealedSecrets } = this.#parts;
		const forgetSecrets = hideInLog(logger, prepared.secrets);
		try {
			const outcome = await this.#runnerCaller.call(activeRun, invokeRunner);
			if (run.isLost) staleWrites.recordRefusal("end of a run", { execution_id: execution.id });
			else if (outcome.status === "running") await this.#completion.handOver(execution, run);
			else if (outcome.status === "paused" || outcome.status === "resuming")
				await this.#completion.pause(execution, run, toStoredPause(outcome, activeRun, sealedSecrets));
			else await this.#completion.finish(execution, run, toStoredOutcome(outcome, activeRun, sealedSecrets));
			if (run.isEndStored) await this.#callAfterRun(execution, prepared);
		} finally {
			forgetSecrets();
		}
	}

	async #callAfterRun({ id, liveaction_id }: ExecutionEntity, { runner }: PreparedRun): Promise<void> {
		try {
			await runner.afterRun?.({ execution_id: id, liveaction_id });
		} catch (error) {
			this.#parts.logger.warn("runner did not clean up after a run", { execution_id: id, error });
		}
	}

	/** Returns the outcome for an error of the runner. The message does not reveal the directories of the pack and of the data. */
	async #toFailedOutcome({ action_ref }: ExecutionEntity, error: unknown): Promise<RunOutcome> {
		const { catalog, dataDirectory } = this.#parts;
		const pack = await catalog.packDirectory(action_ref.split(".", 1)[0] ?? "").catch(() => undefined);
		return toFailure(error, [...(pack === undefined ? [] : [[pack, ""] as const]), [dataDirectory, ""]]);
	}
}

/**
 * Returns true if no process has called the runner. A `running` execution without a run state is never recovered, so only this node can
 * have stored it, in a write whose response was lost.
 */
function isNotStarted({ status, run_state }: ExecutionEntity): boolean {
	return status === "scheduled" || (status === "running" && run_state === null);
}
