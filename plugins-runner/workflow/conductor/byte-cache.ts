/** Cache of the most recently used values, bounded in bytes. The newest value stays even if it alone exceeds the bound. */
export class ByteCache<K, V> {
	readonly #maxBytes: number;
	readonly #onDrop: (key: K) => void;
	readonly #entries = new Map<K, { readonly value: V; readonly bytes: number }>();
	#bytes = 0;

	constructor(maxBytes: number, onDrop: (key: K) => void = () => {}) {
		this.#maxBytes = maxBytes;
		this.#onDrop = onDrop;
	}

	has(key: K): boolean {
		return this.#entries.has(key);
	}

	get(key: K): V | undefined {
		const entry = this.#entries.get(key);
		if (entry === undefined) return undefined;
		this.#entries.delete(key);
		this.#entries.set(key, entry);
		return entry.value;
	}

	set(key: K, value: V, bytes: number): void {
		this.#drop(key);
		this.#entries.set(key, { value, bytes });
		this.#bytes += bytes;
		for (const oldest of this.#entries.keys()) {
			if (this.#bytes <= this.#maxBytes || oldest === key) return;
			this.#drop(oldest);
		}
	}

	#drop(key: K): void {
		const entry = this.#entries.get(key);
		if (entry === undefined) return;
		this.#entries.delete(key);
		this.#bytes -= entry.bytes;
		this.#onDrop(key);
	}
}
