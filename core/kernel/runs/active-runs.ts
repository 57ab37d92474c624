import { type ExecutionEntity, HighChurnMap, type JournalEntryEntity, type JsonObject, RunAborted } from "../../contract/index.ts";
import { Redactor } from "../../secrets/redactor.ts";
import type { OutputWriter } from "../output/output-writer.ts";

/** State of a run while this node carries it out. */
export interface RunState {
	/** Aborts the run on cancel, time-out, shutdown or loss of the lease. The reason is a `RunAborted`. */
	readonly controller: AbortController;
	/** Aborts when the run must pause. */
	readonly pauseController: AbortController;
	/** Fence of the claim. Every write about the run expects it in the stored execution. */
	readonly fence: string | null;
	leaseExpiresAt: string;
	/** Writer of the output; undefined before the runner is called. */
	outputWriter: OutputWriter | undefined;
	/** True if another node holds the execution, or has ended it, or may do so because the lease has expired. */
	isLost: boolean;
	/** True if the final status, or a pending question, is stored. The same write has revoked the token of the run. */
	isEndStored: boolean;
	/**
	 * True if state is stored with which another process can continue the run. Files and token of the run must then outlive this process.
	 */
	isResumable: boolean;
	/** Current secrets of the run. */
	secrets: Redactor;
	/** Secrets that the run has read since its start, from results of children and from the datastore. */
	learnedSecrets: Redactor;
	/** Check for changes of children that the runner has not read; undefined before the runner is called. */
	services: { hasPendingChildChanges(): Promise<boolean> } | undefined;
	/** Last journal entry, to be stored with the end of the run. */
	lastEntry: LastJournalEntry | undefined;
	/** Host and process of the run, if set after the start. They are stored with the end at the latest. */
	runnerInfo: JsonObject | undefined;
}

/** Last entry of a journal. It is stored in the same write as the end of the run. */
export interface LastJournalEntry {
	readonly row: JournalEntryEntity;
	/** Publishes the tasks that the entry has changed. To be called once the entry is stored. */
	publishTasks(): void;
}

function createRun(claimed: ClaimedLease): RunState {
	return new NewRunState(claimed);
}

/** Lease fields of a claimed execution. */
interface ClaimedLease {
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
}

class NewRunState implements RunState {
	readonly controller = new AbortController();
	readonly fence: string | null;
	leaseExpiresAt: string;
	outputWriter: OutputWriter | undefined = undefined;
	isLost = false;
	isEndStored = false;
	isResumable = false;
	secrets = Redactor.none;
	learnedSecrets = Redactor.none;
	services: RunState["services"] = undefined;
	lastEntry: LastJournalEntry | undefined = undefined;
	runnerInfo: JsonObject | undefined = undefined;
	#pauseController: AbortController | undefined;

	constructor({ fence, lease_expires_at }: ClaimedLease) {
		this.fence = fence;
		this.leaseExpiresAt = lease_expires_at ?? "";
	}

	/** Created on first use, because most runs never pause. */
	get pauseController(): AbortController {
		this.#pauseController ??= new AbortController();
		return this.#pauseController;
	}
}

/** Runs that this node carries out, by execution id. */
export class ActiveRuns {
	readonly #runs = new HighChurnMap<string, RunState>();
	/** Set while this node hands its runs over; the reason with which runs are aborted then. */
	#handOverReason: RunAborted | undefined;

	/** Adds a run for a claimed execution. */
	add(execution: ExecutionEntity): RunState {
		const run = createRun(execution);
		this.#runs.set(execution.id, run);
		return run;
	}

	/** Removes a run that has ended. If this node has claimed the execution again in the meantime, the newer run stays. */
	remove(executionId: string, run: RunState): void {
		if (this.#runs.get(executionId) === run) this.#runs.delete(executionId);
	}

	/** Returns true if this node runs the execution. */
	has(executionId: string): boolean {
		return this.#runs.has(executionId);
	}

	/** Returns the runs whose lease this node holds, unless another node has taken one over since the last renewal. */
	heldLeases(): ReadonlyMap<string, Pick<RunState, "fence" | "leaseExpiresAt">> {
		return new Map([...this.#runs.entries()].filter(([, { isLost }]) => !isLost));
	}

	/** Aborts a run. Returns false if this node does not run the execution. */
	abort(executionId: string, reason: RunAborted): boolean {
		const run = this.#runs.get(executionId);
		run?.controller.abort(reason);
		return run !== undefined;
	}

	/** Requests that a run pauses. Does nothing if this node does not run the execution. */
	pause(executionId: string): void {
		this.#runs.get(executionId)?.pauseController.abort();
	}

	/** Aborts every run. */
	abortAll(reason: RunAborted): void {
		for (const run of this.#runs.values()) run.controller.abort(reason);
	}

	/** Hands over every run that another process can continue. Runs that become resumable later are handed over then. */
	handOverAll(reason: RunAborted): void {
		this.#handOverReason = reason;
		for (const run of this.#runs.values()) if (run.isResumable) run.controller.abort(reason);
	}

	/** Marks a run as resumable by another process. If this node is handing its runs over, the run is handed over at once. */
	markResumable(run: RunState): void {
		run.isResumable = true;
		if (this.#handOverReason !== undefined) run.controller.abort(this.#handOverReason);
	}

	/** Notes the new expiry of a lease that was renewed. */
	setLeaseExpiry(executionId: string, leaseExpiresAt: string): void {
		const run = this.#runs.get(executionId);
		if (run !== undefined) run.leaseExpiresAt = leaseExpiresAt;
	}

	/** Marks the run as lost and aborts it. It stores no more output, because another node may hold the execution. */
	markLost(executionId: string): void {
		const run = this.#runs.get(executionId);
		if (run === undefined) return;
		run.isLost = true;
		const reason = new RunAborted("cancel", "the execution is no longer this node's");
		run.outputWriter?.fail(reason);
		run.controller.abort(reason);
	}
}
