export interface SlotPoolOptions {
	/** Number of slots: the maximum number of records processed at the same time. */
	readonly size: number;
	/** Returns how many of the records in progress take no slot now, for example because they only wait. Default: none. */
	readonly resting?: () => number;
	/** Called when a slot has become free. */
	readonly onSlotFree: () => void;
}

/**
 * Counts the records that this node processes, and the reserved slots. More records than slots may be in progress, because records that
 * this node already holds are processed even without a free slot.
 */
export class SlotPool {
	readonly #parts: SlotPoolOptions;
	readonly #inProgress = new Set<Promise<void>>();
	readonly #settledCallbacks: (() => void)[] = [];
	#reserved = 0;
	#isOpen = false;

	constructor(parts: SlotPoolOptions) {
		this.#parts = parts;
	}

	/** True between `open` and `close`. A new pool is closed. */
	get isOpen(): boolean {
		return this.#isOpen;
	}

	/** Number of records in progress and reserved slots. */
	get used(): number {
		return this.#inProgress.size + this.#reserved;
	}

	/** Number of free slots; 0 while the pool is closed. */
	get free(): number {
		const { size, resting } = this.#parts;
		return this.#isOpen ? Math.max(0, size + (resting?.() ?? 0) - this.used) : 0;
	}

	open(): void {
		this.#isOpen = true;
	}

	/** Makes `free` 0. Records in progress continue, and reserved slots stay reserved. */
	close(): void {
		this.#isOpen = false;
	}

	/** Reserves slots. Does not check that they are free. `release` must be called with the same number. */
	reserve(count: number): void {
		this.#reserved += count;
	}

	/**
	 * Ends the reservation of slots. `begin` starts to process the records that were stored in the meantime. Default: reports the slots as
	 * free.
	 */
	release(count: number, begin = this.#parts.onSlotFree): void {
		this.#reserved -= count;
		begin();
		if (this.#reserved === 0) for (const callback of this.#settledCallbacks.splice(0)) callback();
	}

	/** Counts a record as in progress until `processing` has settled, even if no slot is free. */
	occupy(processing: Promise<void>): void {
		const counted = processing.finally(() => {
			this.#inProgress.delete(counted);
			this.#parts.onSlotFree();
		});
		this.#inProgress.add(counted);
	}

	/** Resolves when no slot is reserved, which means that no record is being stored as claimed. */
	async whenReservationsSettled(): Promise<void> {
		while (this.#reserved > 0) await new Promise<void>((resolve) => this.#settledCallbacks.push(resolve));
	}

	/** Resolves when no record is in progress. */
	async whenIdle(): Promise<void> {
		while (this.#inProgress.size > 0) await Promise.all(this.#inProgress);
	}
}
