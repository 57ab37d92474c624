/**
 * A map for what comes and goes all the time, such as what is under way. A plain `Map` that is there for long gets a new table now and then, and V8
 * has each old table refer to the next: what was in one when it was left is garbage only to the collections of the whole heap, with all that it leads to, however
 * long ago it was deleted. Here a table leads to what is still in the map.
 */
export class PassingMap<K extends string | number, V> {
	readonly #places = new Map<K, { value: V | undefined }>();

	get size(): number {
		return this.#places.size;
	}

	get(key: K): V | undefined {
		return this.#places.get(key)?.value;
	}

	has(key: K): boolean {
		return this.#places.has(key);
	}

	set(key: K, value: V): void {
		const place = this.#places.get(key);
		if (place === undefined) this.#places.set(key, { value });
		else place.value = value;
	}

	/** Whether it was there. */
	delete(key: K): boolean {
		const place = this.#places.get(key);
		if (place === undefined) return false;
		place.value = undefined;
		return this.#places.delete(key);
	}

	/** In the order in which they came. */
	*entries(): IterableIterator<[key: K, value: V]> {
		for (const [key, { value }] of this.#places) yield [key, value as V];
	}

	*values(): IterableIterator<V> {
		for (const [, value] of this.entries()) yield value;
	}
}
