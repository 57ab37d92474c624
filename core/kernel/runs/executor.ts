import { type ExecutionEntity, isSvcError, RunAborted } from "../../contract/index.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import { type ActiveRun, ActiveRuns } from "./active-runs.ts";
import { RunChildrenFactory } from "./children/run-children-factory.ts";
import { type RunOutcome, toFailure, toStoredOutcome, toStoredPause } from "./outcome.ts";
import { type PreparedRun, prepareRun, withCredentials, withRestoredCredentials } from "./prepare-run.ts";
import { RunCompletion } from "./run-completion.ts";
import { revokeRunCredentials } from "./run-credentials.ts";
import type { RunDependencies } from "./run-dependencies.ts";
import { addLogSecrets } from "./run-secrets.ts";
import type { RunServiceDependencies } from "./run-services.ts";
import { type RunStart, RunWrites } from "./run-writes.ts";
import { callRunner } from "./runner-call.ts";

/**
 * Carries out claimed executions: prepares the run, calls the runner, and stores how the run ended.
 *
 * What `run` does depends on the status of the claimed execution:
 *
 * - `scheduled`: the status becomes `running` before the runner is called. So an execution that is still `scheduled` has certainly not
 *   started.
 * - `resuming`: the execution was paused. The status becomes `running`, and the runner continues with `recover`.
 * - `running`, `pausing` or `canceling`, with a stored run state: an earlier claim may have started the run, and `recover` continues it.
 * - `running` without a run state: only this node can have stored that status, in the write that inserted the execution. The run starts as
 *   usual.
 *
 * How the run ends:
 *
 * - With a final status or `pending`. The remaining output, the status and the completion effects are one write.
 * - With `paused` or `resuming`. The remaining output is stored, the lease is released, and the state of the run is kept.
 * - By a hand-over during shutdown. The status stays, the lease is released, and another process recovers the run.
 *
 * An execution that cannot be prepared ends `failed`, and its runner is not called. While the storage is unavailable, the preparation of
 * the run and its writes wait.
 *
 * What may happen at the same time:
 *
 * - A cancel of a `scheduled` execution stores the final status itself. The start of the run then conflicts and does nothing.
 * - Later, a cancellation, a pause, the time-out or a shutdown aborts a signal of the run. The runner decides when it resolves. If a
 *   cancellation is stored before the end, the end becomes `canceled`.
 * - The lease may expire while the run continues here, for example because the process was suspended. Another node may then run the same
 *   execution. Writes about the run expect the fence of the claim, unless no other node can exist. If the fence is another one, they change
 *   nothing.
 * - This node may claim an execution again before its lost run has ended. Both runs exist here for a while, each with its own fence.
 */
export class Executor {
	/** Runs that this node is carrying out. */
	readonly runs: ActiveRuns;
	readonly children: RunChildrenFactory;
	readonly runWrites: RunWrites;
	readonly #parts: RunDependencies;
	readonly #completion: RunCompletion;
	readonly #services: RunServiceDependencies;

	constructor(parts: RunDependencies) {
		this.#parts = parts;
		this.runs = new ActiveRuns(parts.logger);
		this.runWrites = new RunWrites(parts);
		this.#completion = new RunCompletion(parts);
		this.children = new RunChildrenFactory({ ...parts, runWrites: this.runWrites });
		this.#services = { ...parts, children: this.children, runs: this.runs, runWrites: this.runWrites };
	}

	/**
	 * Carries out a claimed execution until its run ends on this node. Continues a run that another process has started. Never rejects: an
	 * error is recorded in the execution, or logged if that is impossible.
	 *
	 * @param preparedInline the prepared run of an execution that was stored as running when it was inserted
	 */
	async run(claimed: ExecutionEntity, preparedInline?: PreparedRun): Promise<void> {
		const run = this.runs.add(claimed);
		try {
			const isStarted =
				preparedInline === undefined
					? (await this.#prepare(run)) && (await this.#start(run))
					: await this.#startStored(run, preparedInline);
			if (!isStarted) return;
			const forgetSecrets = addLogSecrets(this.#parts.logger, run.secrets);
			try {
				await this.#complete(run, await callRunner(this.#services, run));
			} finally {
				forgetSecrets();
				await this.#revokeUnused(run);
			}
		} catch (error) {
			this.#abandon(run, error);
		} finally {
			this.runs.remove(run);
		}
	}

	/**
	 * Finds the runner and renders the final parameters. Waits while the storage is unavailable; rejects with `SVC_UNAVAILABLE` if the run is
	 * aborted meanwhile. Returns false if the execution cannot run and has ended for that reason.
	 */
	async #prepare(run: ActiveRun): Promise<boolean> {
		const { execution, controller } = run;
		const attempt = async () => {
			run.setPrepared(await this.prepare(execution));
		};
		try {
			await retryWhileUnavailable(attempt, {
				shouldGiveUp: () => controller.signal.aborted,
				signal: controller.signal,
				onUnavailable: (error) => this.#parts.logger.warn("storage is unavailable; run is waiting", { execution_id: execution.id, error }),
			});
			return true;
		} catch (error) {
			// The run has not started, so write nothing. Once the lease has expired, a node that reaches the storage recovers the execution.
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			await this.#completion.finish(run, await toFailure(this.#parts, execution, error));
			return false;
		}
	}

	/**
	 * Stores that the run begins or is resumed. Returns false if this run no longer holds the execution, for example because a cancellation
	 * was stored before.
	 */
	#start(run: ActiveRun): Promise<boolean> {
		return isNotStarted(run.execution) ? this.#begin(run) : this.#resume(run);
	}

	/** Begins a run whose execution was inserted as running. Returns false if this node has lost the execution since. */
	async #startStored(run: ActiveRun, preparedInline: PreparedRun): Promise<boolean> {
		run.setPrepared(preparedInline);
		if (await this.runWrites.isStillHeld(run)) return true;
		this.#parts.staleWrites.recordRefusal("begin of a run", { execution_id: run.execution.id });
		return false;
	}

	/** Issues credentials, and stores the execution as running. Returns false if the execution was canceled before. */
	async #begin(run: ActiveRun): Promise<boolean> {
		const { granted, begin } = this.issueCredentials(run.execution, run.prepared);
		if (!(await this.runWrites.markRunning(run, begin))) return false;
		run.setPrepared(granted);
		return true;
	}

	/** Continues a run that another process has started, or that was paused. The token of the run stays valid. */
	async #resume(run: ActiveRun): Promise<boolean> {
		const { runCredentials, logger } = this.#parts;
		run.setPrepared(withRestoredCredentials(run.prepared, runCredentials));
		if (run.execution.status === "resuming" && !(await this.runWrites.markResumed(run))) return false;
		run.isResumable = true;
		const { id, runner_name, status } = run.execution;
		logger.info("recovering a run", { execution_id: id, runner: runner_name });
		await this.runWrites.storeRunnerInfo(run, {});
		// Apply the stored request, whose bus event went to the process that held the run before.
		if (status === "canceling") run.controller.abort(new RunAborted("cancel", "canceled by user"));
		if (status === "pausing") run.pauseController.abort();
		return true;
	}

	/** Stores the end of the run, its pause or its hand-over to another process. */
	async #complete(run: ActiveRun, outcome: RunOutcome): Promise<void> {
		const { sealedSecrets } = this.#parts;
		if (run.state === "lost") return this.#recordStaleEnd(run);
		if (outcome.status === "running") return this.#completion.handOver(run);
		if (outcome.status === "paused" || outcome.status === "resuming")
			await this.#completion.pause(run, toStoredPause(outcome, run, sealedSecrets));
		else await this.#completion.finish(run, toStoredOutcome(outcome, run, sealedSecrets));
		if (run.state === "recorded") await this.#callAfterRun(run);
	}

	/** Logs an error that has prevented storing the end of the run. */
	#abandon(run: ActiveRun, error: unknown): void {
		if (run.state === "lost") this.#recordStaleEnd(run);
		else this.#parts.logger.error("end of an execution could not be stored", { execution_id: run.execution.id, error });
	}

	#recordStaleEnd({ execution }: ActiveRun): void {
		this.#parts.staleWrites.recordRefusal("end of a run", { execution_id: execution.id });
	}

	/** Revokes the token of a run that no process can continue and whose end is not stored. Otherwise the unused token would stay valid. */
	async #revokeUnused({ execution, secrets, state, isResumable }: ActiveRun): Promise<void> {
		if (secrets.token !== undefined && state !== "recorded" && !isResumable) await revokeRunCredentials(execution, this.#parts);
	}

	/** Returns true if the runner may be able to continue the run of this execution, which another process has started. */
	canRecover({ run_state, runner_name }: ExecutionEntity): boolean {
		const runner = this.#parts.runners.get(runner_name);
		return run_state !== null && runner?.capabilities.recovery === true && runner.recover !== undefined;
	}

	/** Returns the runner and the final parameters of an execution. Rejects if the execution cannot run. */
	async prepare(execution: ExecutionEntity): Promise<PreparedRun> {
		return prepareRun(execution, await this.#parts.catalog.snapshot(execution.snapshot_id), this.#parts);
	}

	/** Issues the run's credentials for the service. Returns the prepared run with them, and the values to store when the run starts. */
	issueCredentials(claimed: ExecutionEntity, prepared: PreparedRun): { readonly granted: PreparedRun; readonly begin: RunStart } {
		const credentials = this.#parts.runCredentials.issue(claimed);
		const granted = credentials === undefined ? prepared : withCredentials(prepared, credentials);
		// A workflow stores each decision in its journal before it acts. So its run can be continued from the start on: with an empty journal it
		// starts from the beginning.
		const storesStepsFirst = prepared.runner.capabilities.workflow === true;
		const startSecrets = storesStepsFirst
			? this.#parts.sealedSecrets.addToken(prepared.encryptedSecrets, granted.secrets)
			: prepared.encryptedSecrets;
		return {
			granted,
			begin: { encryptedSecrets: startSecrets, isResumable: storesStepsFirst, token_hash: credentials?.token_hash ?? null },
		};
	}

	async #callAfterRun({ execution: { id, liveaction_id }, prepared }: ActiveRun): Promise<void> {
		try {
			await prepared.runner.afterRun?.({ execution_id: id, liveaction_id });
		} catch (error) {
			this.#parts.logger.warn("runner did not clean up after a run", { execution_id: id, error });
		}
	}
}

/**
 * Returns true if no process has called the runner yet. A `running` execution without a run state is never recovered, so this node must
 * have stored it itself, in a write whose response was lost.
 */
function isNotStarted({ status, run_state }: ExecutionEntity): boolean {
	return status === "scheduled" || (status === "running" && run_state === null);
}
