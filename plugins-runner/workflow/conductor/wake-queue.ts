/** Object that is due at a time. */
interface DueEntry<T> {
	/** Time in microseconds. */
	readonly at: number;
	readonly what: T;
}

/** Priority queue (a binary heap) of objects by the time at which they are due. At equal times, the lower number is first. */
export class WakeQueue<T extends { readonly number: number }> {
	readonly #heap: DueEntry<T>[] = [];

	add(at: number, what: T): void {
		const heap = this.#heap;
		heap.push({ at, what });
		for (let child = heap.length - 1; child > 0; ) {
			const parent = (child - 1) >> 1;
			if (!this.#swapIfMisordered(parent, child)) return;
			child = parent;
		}
	}

	/** Returns the earliest time that still counts. Removes entries before it that no longer count. */
	next(stillCounts: (what: T, at: number) => boolean): number | undefined {
		for (let first = this.#heap[0]; first !== undefined; first = this.#heap[0]) {
			if (stillCounts(first.what, first.at)) return first.at;
			this.#removeFirst();
		}
		return undefined;
	}

	/** Removes and returns the objects that are due at `now`. */
	takeDue(now: number): readonly T[] {
		const due: T[] = [];
		for (let first = this.#heap[0]; first !== undefined && first.at <= now; first = this.#heap[0]) {
			due.push(first.what);
			this.#removeFirst();
		}
		return due;
	}

	#removeFirst(): void {
		const heap = this.#heap;
		const last = heap.pop();
		if (last === undefined || heap.length === 0) return;
		heap[0] = last;
		for (let parent = 0; ; ) {
			const left = 2 * parent + 1;
			if (left >= heap.length) return;
			const right = left + 1;
			const child = isBefore(heap[right], heap[left]) ? right : left;
			if (!this.#swapIfMisordered(parent, child)) return;
			parent = child;
		}
	}

	#swapIfMisordered(parent: number, child: number): boolean {
		const above = this.#heap[parent];
		const below = this.#heap[child];
		if (above === undefined || below === undefined || !isBefore(below, above)) return false;
		this.#heap[parent] = below;
		this.#heap[child] = above;
		return true;
	}
}

function isBefore<T extends { readonly number: number }>(one: DueEntry<T> | undefined, other: DueEntry<T> | undefined): boolean {
	if (one === undefined || other === undefined) return false;
	return one.at === other.at ? one.what.number < other.what.number : one.at < other.at;
}
