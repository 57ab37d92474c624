/** Value of whatever is not told by name. */
const other = "other";

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

/** Values of labels that several metrics have: one that is told by name in one of them is so in all. */
export class BoundedLabels {
	readonly #limit: number;
	readonly #labels = new Map<string, BoundedLabel>();

	constructor(limit: number) {
		this.#limit = limit;
	}

	/** The values as they are told, of labels in their order. */
	of(names: readonly string[], open: readonly string[], values: readonly string[]): string[] {
		return names.map((name, index) => {
			const value = values[index] ?? "";
			return open.includes(name) ? this.#label(name).of(value) : value;
		});
	}

	#label(name: string): BoundedLabel {
		const known = this.#labels.get(name);
		if (known !== undefined) return known;
		const label = new BoundedLabel(this.#limit);
		this.#labels.set(name, label);
		return label;
	}
}
