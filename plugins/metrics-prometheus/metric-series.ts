import type { BoundedLabels } from "./bounded-labels.ts";

interface Level<C> {
	readonly below: Map<string, Level<C>>;
	cell: C | undefined;
}

/** One combination of label values, and its recorded value. */
export interface LabeledSeries<C> {
	readonly labels: Readonly<Record<string, string>>;
	readonly cell: C;
}

export interface MetricSeriesOptions<C> {
	/** Names of the labels, in the order of the values that `of` gets. */
	readonly names: readonly string[];
	/** Names of the labels that may have many values. */
	readonly open: readonly string[];
	readonly bounded: BoundedLabels;
	create(): C;
}

/**
 * Series of one metric, one for each combination of label values, in nested maps with one level for each label. A single map would need a
 * combined key, and building it costs more than the rest of recording a value.
 */
export class MetricSeries<C> {
	readonly #parts: MetricSeriesOptions<C>;
	readonly #bounds: readonly ReturnType<BoundedLabels["few"]>[];
	readonly #root: Level<C> = { below: new Map(), cell: undefined };
	readonly #counted: LabeledSeries<C>[] = [];

	constructor(parts: MetricSeriesOptions<C>) {
		const { names, open, bounded } = parts;
		this.#parts = parts;
		this.#bounds = names.map((name) => (open.includes(name) ? bounded.open(name) : bounded.few()));
		// Prometheus expects a metric without labels to be reported even before it was counted.
		if (names.length === 0) this.#make([]);
	}

	/** All series so far. */
	get counted(): readonly LabeledSeries<C>[] {
		return this.#counted;
	}

	of(values: readonly string[]): C {
		let level: Level<C> | undefined = this.#root;
		for (let index = 0; index < this.#bounds.length && level !== undefined; index += 1) level = level.below.get(values[index] ?? "");
		return level?.cell ?? this.#make(values);
	}

	/**
	 * Returns the series of these label values, and creates it if necessary. Values beyond the limit are mapped to `other` at each call, because caching them would
	 * defeat the limit.
	 */
	#make(values: readonly string[]): C {
		const told = this.#bounds.map((bound, index) => bound.of(values[index] ?? ""));
		let level = this.#root;
		for (const value of told) {
			const next = level.below.get(value) ?? { below: new Map(), cell: undefined };
			level.below.set(value, next);
			level = next;
		}
		if (level.cell !== undefined) return level.cell;
		const cell = this.#parts.create();
		level.cell = cell;
		this.#counted.push({ labels: Object.fromEntries(this.#parts.names.map((name, index) => [name, told[index] ?? ""])), cell });
		return cell;
	}
}
