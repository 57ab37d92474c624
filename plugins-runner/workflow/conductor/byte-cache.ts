/** Keeps what was used last, up to a number of bytes; the newest always. */
export class ByteCache<K, V> {
	readonly #limit: number;
	readonly #onDrop: (key: K) => void;
	readonly #entries = new Map<K, { readonly value: V; readonly bytes: number }>();
	#bytes = 0;

	constructor(limit: number, onDrop: (key: K) => void = () => {}) {
		this.#limit = limit;
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
			if (this.#bytes <= this.#limit || oldest === key) return;
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
