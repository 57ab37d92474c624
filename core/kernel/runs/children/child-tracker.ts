import { type Child, type ExecutionEntity, isSvcError, SvcError, type Where } from "../../../contract/index.ts";
import { createAbortListeners } from "../../../lib/abort-listeners.ts";
import { retryWhileUnavailable } from "../../../lib/retry-while-unavailable.ts";
import { type ChildReading, readChildPages, type StoredChild, toChildReading } from "../../executions/child-identity.ts";
import type { RunDependencies } from "../run-dependencies.ts";

/** Number of poll intervals (`scheduler.poll_interval`) between scans of the storage, which find changes if the bus has lost events. */
const pollIntervalsPerScan = 5;

export interface ChildTrackerDependencies extends RunDependencies {
	/** Passes events about the children of a parent to a tracker. `add` resolves once the tracker can miss no later event. */
	readonly watch: {
		add(parentId: string, tracker: ChildTracker): Promise<void>;
		remove(parentId: string, tracker: ChildTracker): void;
	};
	/** Called with true when the run begins to wait for a child, and with false when it no longer waits for any. */
	readonly onWaiting: (isWaiting: boolean) => void;
}

interface ChangeIteration {
	/** Ids of the children whose latest state has not been yielded yet. */
	readonly pendingIds: Set<string>;
	/** Wakes the iteration if it waits for a change. */
	wake(): void;
}

const abortListeners = createAbortListeners();

/**
 * Tracks the state of the children of a run, by events and by scans of the storage. Passes changes to callers that wait for a child or
 * iterate over changes.
 */
export class ChildTracker {
	readonly #parts: ChildTrackerDependencies;
	readonly #parentId: string;
	/** Latest recorded state of each child, by its id. */
	readonly #latest = new Map<string, ChildReading>();
	/** Ids of the children that have not ended. */
	readonly #openIds = new Set<string>();
	readonly #iterations = new Set<ChangeIteration>();
	/** Latest state of each child that the runner has seen, by the id of the child. */
	readonly #disclosed = new Map<string, ChildReading>();
	/** Functions that wake the callers which wait for the end of a child, by the id of the child. */
	readonly #endWaiters = new Map<string, Set<() => void>>();
	#waitCount = 0;
	#firstScan: Promise<void> | undefined;
	#scanTimer: NodeJS.Timeout | undefined;
	#isClosed = false;

	constructor(parts: ChildTrackerDependencies, parentId: string) {
		this.#parts = parts;
		this.#parentId = parentId;
	}

	/** Records a stored state of a child. Ignores a state that is older than the recorded one. */
	record(stored: StoredChild): void {
		this.#record(toChildReading(stored));
	}

	/** Records a child that was just read, and returns it for the runner. From then on this state counts as seen by the runner. */
	disclose(reading: ChildReading): Child {
		this.#record(reading);
		this.#recordDisclosed(reading);
		return reading.child;
	}

	/** Returns the execution ids of the children that the runner has seen, but not in a final state. */
	disclosedOpenIds(): readonly string[] {
		return [...this.#disclosed.values()].filter((disclosed) => !this.#isEnd(disclosed)).map(({ child }) => child.execution_id);
	}

	/** Returns true if a child has changed since the runner last saw it. Returns false for a child that the runner has never seen. */
	hasUndisclosedChange(stored: StoredChild): boolean {
		const { child, version } = toChildReading(stored);
		return version > (this.#disclosed.get(child.id)?.version ?? version);
	}

	/** Returns true if a state of the child with this id is recorded. */
	has(id: string): boolean {
		return this.#latest.has(id);
	}

	/** Scans the storage, because events may have been missed. Does nothing before the first scan and after `close`. */
	rescan(): void {
		if (this.#firstScan === undefined || this.#isClosed) return;
		this.#scan()
			.catch((error: unknown) => this.#parts.logger.warn("polling for children failed", { execution_id: this.#parentId, error }))
			.finally(() => this.#scheduleScan());
	}

	/** Ends all waits and iterations, because the run has ended. */
	close(): void {
		this.#isClosed = true;
		clearTimeout(this.#scanTimer);
		for (const iteration of this.#iterations) iteration.wake();
		for (const wakes of this.#endWaiters.values()) for (const wake of wakes) wake();
		this.#parts.watch.remove(this.#parentId, this);
	}

	/**
	 * Resolves with a child once it has ended. The child must have been recorded. Rejects with the reason of the signal if that aborts
	 * first, and with `SVC_CONFLICT` if the tracker is closed first.
	 */
	async waitForEnd(id: string, signal: AbortSignal): Promise<Child> {
		await this.#ensureScanned();
		for (;;) {
			const latest = this.#latest.get(id);
			if (latest?.child.hasEnded) {
				this.#recordDisclosed(latest);
				return latest.child;
			}
			signal.throwIfAborted();
			if (this.#isClosed) throw new SvcError("SVC_CONFLICT", `execution "${this.#parentId}" no longer belongs to this run`);
			await this.#wait(signal, (wake) => {
				const wakes = this.#endWaiters.get(id) ?? new Set();
				this.#endWaiters.set(id, wakes.add(wake));
				return () => {
					if (wakes.delete(wake) && wakes.size === 0) this.#endWaiters.delete(id);
				};
			});
		}
	}

	/** Yields every child once, then each child again after it has changed. Ends when the signal aborts or the tracker is closed. */
	async *changes(signal: AbortSignal): AsyncGenerator<Child> {
		await this.#ensureScanned();
		const iteration: ChangeIteration = { pendingIds: new Set(this.#latest.keys()), wake() {} };
		this.#iterations.add(iteration);
		try {
			while (!signal.aborted && !this.#isClosed) {
				const [nextId] = iteration.pendingIds;
				if (nextId === undefined) {
					await this.#wait(signal, (wake) => {
						iteration.wake = wake;
						return () => {};
					});
					continue;
				}
				iteration.pendingIds.delete(nextId);
				const latest = this.#latest.get(nextId);
				if (latest === undefined) continue;
				this.#recordDisclosed(latest);
				yield latest.child;
			}
		} finally {
			this.#iterations.delete(iteration);
		}
	}

	#record(reading: ChildReading): void {
		const { id, hasEnded } = reading.child;
		if ((this.#latest.get(id)?.version ?? 0) >= reading.version || this.#isClosed) return;
		this.#latest.set(id, reading);
		if (hasEnded) this.#openIds.delete(id);
		else this.#openIds.add(id);
		for (const iteration of this.#iterations) {
			iteration.pendingIds.add(id);
			iteration.wake();
		}
		if (hasEnded) for (const wake of this.#endWaiters.get(id) ?? []) wake();
	}

	#recordDisclosed(reading: ChildReading): void {
		const { id } = reading.child;
		if ((this.#disclosed.get(id)?.version ?? 0) < reading.version) this.#disclosed.set(id, reading);
	}

	/** Returns true if the reading is the latest recorded state of its child and that state is final. */
	#isEnd({ child, version }: ChildReading): boolean {
		const latest = this.#latest.get(child.id);
		return latest !== undefined && latest.version <= version && latest.child.hasEnded;
	}

	/**
	 * Waits until the `wake` function that is passed to `register` is called, or the signal aborts. `register` returns a function that removes
	 * `wake` again.
	 */
	async #wait(signal: AbortSignal, register: (wake: () => void) => () => void): Promise<void> {
		if (this.#waitCount++ === 0) this.#parts.onWaiting(true);
		const cleanups: (() => void)[] = [];
		await new Promise<void>((resolve) => cleanups.push(register(resolve), abortListeners.add(signal, resolve)));
		for (const cleanup of cleanups) cleanup();
		if (--this.#waitCount === 0) this.#parts.onWaiting(false);
	}

	/** Subscribes to events and scans all children, unless that was done before. The scan records changes that precede the first wait. */
	#ensureScanned(): Promise<void> {
		this.#firstScan ??= this.#subscribeAndScan().catch((error: unknown) => {
			this.#firstScan = undefined;
			throw error;
		});
		return this.#firstScan;
	}

	async #subscribeAndScan(): Promise<void> {
		const { watch, logger } = this.#parts;
		const parentId = this.#parentId;
		// After `close`, a late caller would start a subscription that is never ended.
		if (this.#isClosed) return;
		await watch.add(parentId, this);
		const scanAll = async () => void (await this.#readMatching({ parent_id: parentId }));
		const onOutage = (error: unknown) => logger.warn("storage is unavailable; run is waiting", { execution_id: parentId, error });
		await retryWhileUnavailable(scanAll, { shouldGiveUp: () => this.#isClosed, onUnavailable: onOutage });
		this.#scheduleScan();
	}

	/**
	 * Scans the children that have not ended, and those that have ended since the last scan. Children that ended earlier are not read again,
	 * because there may be thousands of them. If the storage is unavailable, the next scan finds the changes.
	 */
	async #scan(): Promise<void> {
		const parent_id = this.#parentId;
		const openIds = [...this.#openIds];
		const scannedIds = new Set<string>();
		try {
			for (let where: Where<ExecutionEntity> = { parent_id, end_timestamp: null }; ; ) {
				for (const id of await this.#readMatching(where)) scannedIds.add(id);
				// These children have ended since the last scan. Each may have a replacement, which the next round reads.
				const missingIds = this.#executionsOf(openIds).filter((id) => !scannedIds.has(id));
				if (missingIds.length === 0) return;
				for (const id of missingIds) scannedIds.add(id);
				where = { parent_id, id: { in: missingIds } };
			}
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
		}
	}

	/** Returns the ids of the current executions of those children that have not ended. */
	#executionsOf(ids: readonly string[]): readonly string[] {
		return ids.flatMap((id) => {
			const latest = this.#latest.get(id);
			return latest === undefined || latest.child.hasEnded ? [] : [latest.child.execution_id];
		});
	}

	/** Reads and records the children that match. Returns the ids of their executions. */
	async #readMatching(where: Where<ExecutionEntity>): Promise<readonly string[]> {
		const ids: string[] = [];
		for await (const page of readChildPages(this.#parts.storage, where)) {
			for (const child of page) {
				this.record(child);
				ids.push(child.id);
			}
		}
		return ids;
	}

	#scheduleScan(): void {
		clearTimeout(this.#scanTimer);
		const delayMs = pollIntervalsPerScan * this.#parts.options.scheduler.poll_interval * 1_000;
		if (!this.#isClosed) this.#scanTimer = setTimeout(() => this.rescan(), delayMs);
	}
}
