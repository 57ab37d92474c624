import { type DutyEntity, isSvcError, type Patch } from "../../contract/index.ts";
import { maxTimerMs } from "../../lib/wait.ts";
import { fromTimestamp, toTimestamp } from "../basics/clock.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { createId } from "../basics/ids.ts";
import { insertIfAbsent } from "../basics/insert-if-absent.ts";
import { HeldLease, RecordLeaseRenewer } from "./held-lease.ts";
import { type LeasePolicy, releasedLease, toRenewalIntervalMs } from "./lease-policy.ts";

/** What a singleton task needs of the engine. */
export interface SingletonTaskDependencies extends Uses<"storage" | "clock" | "logger"> {
	/** Lease of the task. After a crash of the node that holds it, other nodes can take the task only once the lease has expired. */
	readonly leasing: LeasePolicy;
}

export interface SingletonTaskDefinition {
	/** Identifies the task; it must be the same on every node. */
	readonly name: string;
	/** Seconds from the end of one run to the start of the next, which may be on another node. */
	readonly intervalSeconds: number;
	/**
	 * Performs the task once. `signal` aborts if the service stops or another node may have taken the task. The function may then finish its
	 * current step, but must begin no new one. A run that was interrupted is repeated soon, on this or another node.
	 */
	work(signal: AbortSignal): Promise<void>;
}

/**
 * Minimum milliseconds between two polls of a task that another node holds. Limits the polls if that node holds the task longer than
 * expected.
 */
const minPollPauseMs = 50;

/**
 * Periodic task that one node at a time performs for all nodes. A node takes the task with a lease, and renews the lease while the task
 * runs. If that node crashes, another node performs the task after the lease has expired.
 */
export class SingletonTask {
	readonly #parts: SingletonTaskDependencies;
	readonly #task: SingletonTaskDefinition;
	readonly #stopping = new AbortController();
	#timer: NodeJS.Timeout | undefined;
	/** The last run or poll. Each one waits for the previous one. Never rejects. */
	#working: Promise<unknown> = Promise.resolve();

	constructor(parts: SingletonTaskDependencies, task: SingletonTaskDefinition) {
		this.#parts = parts;
		this.#task = task;
	}

	/** Starts to perform the task whenever it is due and no other node holds it. */
	start(): void {
		this.#schedulePoll(0);
	}

	/**
	 * Performs the task now, even if it is not due, unless another node holds it. Returns true if this node has completed it. Rejects if
	 * `work` does.
	 */
	runNow(): Promise<boolean> {
		const run = this.#working.then(async () => {
			const duty = await this.#read();
			return !this.#stopping.signal.aborted && !this.#parts.leasing.isHeld(duty) && (await this.#take(duty));
		});
		this.#working = run.catch(() => undefined);
		return run;
	}

	/** Stops polling, and aborts a run in progress. Resolves when that run has ended; another node may repeat it. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		clearTimeout(this.#timer);
		await this.#working;
	}

	#schedulePoll(delayMs: number): void {
		if (this.#stopping.signal.aborted) return;
		this.#timer = setTimeout(
			() => {
				this.#working = this.#working
					.then(() => this.#poll())
					.then(
						(nextDelayMs) => this.#schedulePoll(nextDelayMs),
						(error: unknown) => this.#logAndRetry(error),
					);
			},
			Math.min(Math.max(delayMs, 1), maxTimerMs),
		);
	}

	#logAndRetry(error: unknown): void {
		const { logger, leasing } = this.#parts;
		const { name, intervalSeconds } = this.#task;
		if (isSvcError(error, "SVC_UNAVAILABLE")) logger.warn("storage is unavailable; singleton task is waiting", { duty: name, error });
		else logger.error("a singleton task failed", { duty: name, error });
		this.#schedulePoll(Math.min(leasing.leaseSeconds, intervalSeconds) * 1_000);
	}

	/** Performs the task if it is due and no other node holds it. Returns the milliseconds until the next poll. */
	async #poll(): Promise<number> {
		const { leasing } = this.#parts;
		const duty = await this.#read();
		if (this.#stopping.signal.aborted) return 0;
		if (leasing.isHeld(duty)) return Math.max(leasing.msUntilFree(duty), minPollPauseMs);
		const untilDueUs = this.#untilDueUs(duty);
		if (untilDueUs > 0) return untilDueUs / 1_000;
		return (await this.#take(duty)) ? this.#task.intervalSeconds * 1_000 : 0;
	}

	/** Returns the stored record of the task; creates it if it does not exist. */
	async #read(): Promise<DutyEntity> {
		const { storage, clock } = this.#parts;
		const { name } = this.#task;
		for (;;) {
			const [storedDuty] = await storage.find("duty", { where: { name }, limit: 1 });
			if (storedDuty !== undefined) return storedDuty;
			const newDuty = { id: createId(clock), name, ...releasedLease, done_at: null };
			await insertIfAbsent(() => storage.insert("duty", [newDuty]));
		}
	}

	/** Returns the microseconds until the task is due; 0 if it was never completed, and a negative number if it is overdue. */
	#untilDueUs({ done_at }: DutyEntity): number {
		return done_at === null ? 0 : fromTimestamp(done_at) + this.#task.intervalSeconds * 1_000_000 - this.#parts.clock.steady();
	}

	/** Takes and performs the task. Returns true if the task was completed; false if it was aborted or another node has taken it first. */
	async #take({ id, fence, done_at }: DutyEntity): Promise<boolean> {
		const { clock, leasing, logger } = this.#parts;
		// Expect fence and `done_at` as they were read: another node may have performed and released the task since. Without this condition this
		// node would perform it again at once.
		const taken = await HeldLease.acquire(leasing, "duty", id, { expected: { fence, done_at } });
		if (taken === undefined) return false;
		const { lease } = taken;
		const renewer = new RecordLeaseRenewer({
			lease,
			intervalMs: toRenewalIntervalMs(leasing.leaseSeconds),
			onError: (error) => logger.warn("the lease of a singleton task could not be renewed", { duty: this.#task.name, error }),
		});
		const signal = AbortSignal.any([this.#stopping.signal, renewer.signal]);
		let completionPatch: Patch<DutyEntity> = {};
		try {
			// The service may have begun to stop while this node took the task.
			if (!signal.aborted) await this.#task.work(signal);
			if (!signal.aborted) completionPatch = { done_at: toTimestamp(clock.steady()) };
		} finally {
			await renewer.stop();
			await lease
				.release(completionPatch)
				.catch((error: unknown) => logger.warn("the lease of a singleton task was not released", { duty: this.#task.name, error }));
		}
		return completionPatch.done_at !== undefined;
	}
}
