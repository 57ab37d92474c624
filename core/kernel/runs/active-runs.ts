import {
	type ExecutionEntity,
	HighChurnMap,
	isSvcError,
	type JournalEntryEntity,
	type JsonObject,
	type Logger,
	RunAborted,
	SvcError,
} from "../../contract/index.ts";
import { retryWhileUnavailable } from "../../lib/retry-while-unavailable.ts";
import { Redactor } from "../../secrets/redactor.ts";
import type { OutputWriter } from "../output/output-writer.ts";
import type { PreparedRun } from "./prepare-run.ts";

/**
 * State of a run:
 *
 * - `preparing`: the runner has not been called.
 * - `running`: the runner works, and may call the host.
 * - `completing`: the runner has resolved, and its calls to the host are refused. The end of the run is not stored yet.
 * - `recorded`: the final status, or a pending question, is stored. The same write has revoked the token of the run.
 * - `lost`: the execution was taken over or ended without this run, or may be taken over because the lease has expired.
 */
type RunState = "preparing" | "running" | "completing" | "recorded" | "lost";

/** Settings for repeating a write while the storage is unavailable. */
interface StoreOptions {
	/**
	 * Resolves with true if an earlier attempt was stored although its response was lost. Called if a repeated attempt conflicts. Default:
	 * none was.
	 */
	readonly isStored?: () => Promise<boolean>;
	/** Milliseconds for which the write is repeated even if the service is stopping. Default 0. */
	readonly shutdownPatienceMs?: number;
}

/** An execution that this node carries out, from the claim to the end of its run here. */
export class ActiveRun {
	/** The execution in the state in which this run last read or stored it. */
	execution: ExecutionEntity;
	/** Runner, and the data with which it is called. Not set before the run is prepared. */
	prepared!: PreparedRun;
	state: RunState = "preparing";
	/** Fence of the claim. Every write about the run expects that the stored execution has this fence. */
	readonly fence: string | null;
	/** Aborts the run on cancel, time-out, shutdown or loss of the lease. The reason is a `RunAborted`. */
	readonly controller = new AbortController();
	leaseExpiresAt: string;
	/** Writer of the output; undefined before the runner is called. */
	outputWriter: OutputWriter | undefined = undefined;
	/**
	 * True if a run state is stored from which another process can continue the run. Files and token of the run must then outlive this
	 * process.
	 */
	isResumable = false;
	/** Current secrets of the run. */
	secrets = Redactor.none;
	/** Secrets that the run has read since its start, such as from results of children or from the datastore. */
	learnedSecrets = Redactor.none;
	/** Tells whether children have changes that the runner has not read; undefined before the runner is called. */
	services: { hasPendingChildChanges(): Promise<boolean> } | undefined = undefined;
	/** Last journal entry, to be stored with the end of the run. */
	lastEntry: LastJournalEntry | undefined = undefined;
	/** Host and process of the run, if set after the start. They are stored at the latest with the end of the run. */
	runnerInfo: JsonObject | undefined = undefined;
	readonly #logger: Logger;
	#pauseController: AbortController | undefined;

	constructor(claimed: ExecutionEntity, logger: Logger) {
		this.execution = claimed;
		this.fence = claimed.fence;
		this.leaseExpiresAt = claimed.lease_expires_at ?? "";
		this.#logger = logger;
	}

	/** True if the run was aborted because the service stops. */
	get isShuttingDown(): boolean {
		const { reason } = this.controller.signal;
		return reason instanceof RunAborted && reason.kind === "shutdown";
	}

	/** Aborts when the run must pause. Created on first use, because most runs never pause. */
	get pauseController(): AbortController {
		this.#pauseController ??= new AbortController();
		return this.#pauseController;
	}

	/** Sets the runner, and the data with which it is called. */
	setPrepared(prepared: PreparedRun): void {
		this.prepared = prepared;
		this.secrets = prepared.secrets;
	}

	/** Marks the run as lost and aborts it. The run stores no more output, because another node may hold the execution. */
	markLost(): void {
		if (this.state !== "recorded") this.state = "lost";
		const reason = new RunAborted("cancel", "another node has taken over the execution");
		this.outputWriter?.fail(reason);
		this.controller.abort(reason);
	}

	/**
	 * Carries out a call of the runner. Repeats it while the storage is unavailable, so that an outage does not fail the run. Returns the
	 * result. `isRetry` is true if an earlier attempt may have stored its changes although its response was lost. Throws `SVC_CONFLICT` if the
	 * run has ended or lost its execution. Throws `SVC_UNAVAILABLE` if the run ends, is lost or is shut down during the wait.
	 */
	async callHost<T>(attempt: (isRetry: boolean) => Promise<T>): Promise<T> {
		let result: { readonly value: T } | undefined;
		await retryWhileUnavailable(
			async (isRetry) => {
				this.assertHeld();
				result = { value: await attempt(isRetry) };
			},
			{
				shouldGiveUp: () => this.state !== "running" || this.isShuttingDown,
				onUnavailable: (error) => this.#logger.warn("storage is unavailable; run is waiting", { execution_id: this.execution.id, error }),
			},
		);
		return (result as unknown as { readonly value: T }).value;
	}

	/**
	 * Calls `write`, which must expect the fence of the run, and repeats it while the storage is unavailable. Throws `SVC_UNAVAILABLE` if the
	 * run is lost or the service stops in the meantime. Throws `SVC_CONFLICT` if the write conflicts, unless an earlier attempt was stored
	 * although its response was lost.
	 */
	store(write: () => Promise<void>, { isStored, shutdownPatienceMs = 0 }: StoreOptions = {}): Promise<void> {
		const startedAt = performance.now();
		const attempt = (isRetry: boolean) =>
			write().catch(async (error: unknown) => {
				if (!isRetry || !isSvcError(error, "SVC_CONFLICT") || !(await isStored?.())) throw error;
			});
		return retryWhileUnavailable(attempt, {
			shouldGiveUp: () => this.state === "lost" || (this.isShuttingDown && performance.now() - startedAt >= shutdownPatienceMs),
			onUnavailable: (error) => this.#logger.warn("storage is unavailable; run is waiting", { error }),
		});
	}

	/** Throws `SVC_CONFLICT` if the run has ended or lost its execution. */
	assertHeld(): void {
		if (this.state !== "running") throw this.toLostError();
	}

	/** Returns the error `SVC_CONFLICT` for a call that requires an execution which this run no longer holds. */
	toLostError(): SvcError {
		return new SvcError("SVC_CONFLICT", `execution "${this.execution.id}" no longer belongs to this run`);
	}
}

/** Last journal entry of a run. It is stored in the same write as the end of the run. */
export interface LastJournalEntry {
	readonly row: JournalEntryEntity;
	/** Publishes the tasks that the entry has changed. Must be called once the entry is stored. */
	publishTasks(): void;
}

/** Runs that this node carries out, by execution id. */
export class ActiveRuns {
	readonly #logger: Logger;
	readonly #runs = new HighChurnMap<string, ActiveRun>();
	/** Reason with which runs are aborted while this node hands them over to other processes; undefined before that. */
	#handOverReason: RunAborted | undefined;

	constructor(logger: Logger) {
		this.#logger = logger;
	}

	/** Adds a run for a claimed execution. */
	add(claimed: ExecutionEntity): ActiveRun {
		const run = new ActiveRun(claimed, this.#logger);
		this.#runs.set(claimed.id, run);
		return run;
	}

	/** Removes a run that has ended. If this node has claimed the execution again in the meantime, the newer run stays. */
	remove(run: ActiveRun): void {
		const { id } = run.execution;
		if (this.#runs.get(id) === run) this.#runs.delete(id);
	}

	/** Returns the run of an execution; undefined if this node does not run it. */
	get(executionId: string): ActiveRun | undefined {
		return this.#runs.get(executionId);
	}

	/** Returns true if this node runs the execution. */
	has(executionId: string): boolean {
		return this.#runs.has(executionId);
	}

	/**
	 * Returns the runs whose leases this node holds, as far as the last renewal has shown. A run whose end is stored no longer has a lease.
	 */
	heldLeases(): ReadonlyMap<string, Pick<ActiveRun, "fence" | "leaseExpiresAt">> {
		return new Map([...this.#runs.entries()].filter(([, { state }]) => state !== "lost" && state !== "recorded"));
	}

	abortAll(reason: RunAborted): void {
		for (const run of this.#runs.values()) run.controller.abort(reason);
	}

	/** Hands over every run that another process can continue. A run that becomes resumable later is handed over at that time. */
	handOverAll(reason: RunAborted): void {
		this.#handOverReason = reason;
		for (const run of this.#runs.values()) if (run.isResumable) run.controller.abort(reason);
	}

	/** Marks a run as resumable by another process. If this node is handing its runs over, the run is handed over at once. */
	markResumable(run: ActiveRun): void {
		run.isResumable = true;
		if (this.#handOverReason !== undefined) run.controller.abort(this.#handOverReason);
	}

	/** Sets the new expiry of a lease that was renewed. */
	setLeaseExpiry(executionId: string, leaseExpiresAt: string): void {
		const run = this.#runs.get(executionId);
		if (run !== undefined) run.leaseExpiresAt = leaseExpiresAt;
	}
}
