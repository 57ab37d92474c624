/** Label value that replaces all values beyond the limit. */
const other = "other";
/** Maximum number of values of a label that normally has few. */
const maxValuesOfFew = 1_000;

/** Keeps the first values of a label up to a limit, and replaces all others by `other`. */
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

/** Limits the label values of all metrics. For a label with many values, such as the action, all metrics keep the same values. */
export class BoundedLabels {
	readonly #limit: number;
	readonly #open = new Map<string, BoundedLabel>();

	/** @param limit maximum values of a label with many values */
	constructor(limit: number) {
		this.#limit = limit;
	}

	/** Returns the limiter of a label with many values. All metrics with this label share it. */
	open(name: string): BoundedLabel {
		const known = this.#open.get(name);
		if (known !== undefined) return known;
		const label = new BoundedLabel(this.#limit);
		this.#open.set(name, label);
		return label;
	}

	/** Returns a new limiter for a label with few values. */
	few(): BoundedLabel {
		return new BoundedLabel(maxValuesOfFew);
	}
}
