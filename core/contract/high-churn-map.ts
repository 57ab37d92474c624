/**
 * A map for entries that are added and deleted continually, such as operations in progress. Minor garbage collections free deleted values.
 *
 * When a `Map` grows or compacts, V8 (Node 20) allocates a new table and keeps a reference from the old table to the new one. Old
 * tables of a long-lived map are in the old generation. Until the next full GC, they retain all values that were in them, even values
 * that were deleted long ago. This map keeps each value in a cell that `delete` clears, so that old tables retain empty cells only.
 */
export class HighChurnMap<K extends string | number, V> {
	readonly #cells = new Map<K, { value: V | undefined }>();

	/** Number of entries. */
	get size(): number {
		return this.#cells.size;
	}

	/** Returns the value of a key. Returns undefined if the key does not exist. */
	get(key: K): V | undefined {
		return this.#cells.get(key)?.value;
	}

	/** Returns true if the key exists. */
	has(key: K): boolean {
		return this.#cells.has(key);
	}

	/** Sets the value of a key. */
	set(key: K, value: V): void {
		const cell = this.#cells.get(key);
		if (cell === undefined) this.#cells.set(key, { value });
		else cell.value = value;
	}

	/** Deletes a key. Returns true if it existed. */
	delete(key: K): boolean {
		const cell = this.#cells.get(key);
		if (cell === undefined) return false;
		cell.value = undefined;
		return this.#cells.delete(key);
	}

	/** Yields the entries in the order of their insertion. */
	*entries(): IterableIterator<[key: K, value: V]> {
		for (const [key, { value }] of this.#cells) yield [key, value as V];
	}

	/** Yields the values in the order of their insertion. */
	*values(): IterableIterator<V> {
		for (const [, value] of this.entries()) yield value;
	}
}
