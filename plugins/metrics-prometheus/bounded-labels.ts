/** Value of whatever is not told by name. */
const other = "other";
/** Values of a label that has few, should somebody be wrong about that. */
const mostOfFew = 1_000;

/** Keeps the first so many values of a label, and makes all others one. */
class BoundedLabel {
	readonly #known = new Set<string>();
	readonly #limit: number;

	constructor(limit: number) {
		this.#limit = limit;
	}

	of(value: string): string {
		if (this.#known.has(value)) return value;
		if (this.#known.size >= this.#limit) return other;
		this.#known.add(value);
		return value;
	}
}

/** Values of the labels of several metrics: one with many values is told by name in all of them or in none. */
export class BoundedLabels {
	readonly #limit: number;
	readonly #open = new Map<string, BoundedLabel>();

	/** @param limit values that a label with many may have */
	constructor(limit: number) {
		this.#limit = limit;
	}

	/** What bounds a label with many values. */
	open(name: string): BoundedLabel {
		const known = this.#open.get(name);
		if (known !== undefined) return known;
		const label = new BoundedLabel(this.#limit);
		this.#open.set(name, label);
		return label;
	}

	/** What bounds a label of one metric that has few values. */
	few(): BoundedLabel {
		return new BoundedLabel(mostOfFew);
	}
}
