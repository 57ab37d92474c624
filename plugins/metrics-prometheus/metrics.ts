import type { HistogramDefinition, Instrument, MetricDefinition } from "../../core/contract/index.ts";
import type { BoundedLabels } from "./bounded-labels.ts";
import { type LabeledSeries, MetricSeries } from "./metric-series.ts";

/** A value of a metric in the format of prom-client. */
export interface MetricValue {
	readonly metricName?: string;
	readonly labels: Readonly<Record<string, string | number>>;
	readonly value: number;
}

/** A metric that the prom-client registry reads when Prometheus requests the metrics. */
export interface ReadableMetric {
	readonly name: string;
	get(): Promise<{ readonly name: string; readonly help: string; readonly type: string; readonly values: readonly MetricValue[] }>;
}

/**
 * Counter whose values prom-client reads on request. The counters of prom-client compute a key from the labels for each record, which is
 * too slow for about thirty records per execution.
 */
export class CounterMetric implements Instrument, ReadableMetric {
	readonly name: string;
	readonly #help: string;
	readonly #cells: MetricSeries<{ value: number }>;

	constructor({ name, help, labels: names = [], openLabels: open = [] }: MetricDefinition, bounded: BoundedLabels) {
		this.name = name;
		this.#help = help;
		this.#cells = new MetricSeries({ names, open, bounded, create: () => ({ value: 0 }) });
	}

	record(value: number, ...labels: readonly string[]): void {
		// Ignore invalid numbers, because a single NaN would make the sum NaN permanently.
		if (value >= 0 && value < Number.POSITIVE_INFINITY) this.#cells.of(labels).value += value;
	}

	async get() {
		const values = this.#cells.counted.map(({ labels, cell }) => ({ labels, value: cell.value }));
		return { name: this.name, help: this.#help, type: "counter", values };
	}
}

interface Distribution {
	/** Number of values in each bucket, excluding lower buckets. The last element counts values above all bounds. */
	readonly counts: Float64Array;
	sum: number;
}

/** Histogram whose values prom-client reads on request. */
export class HistogramMetric implements Instrument, ReadableMetric {
	readonly name: string;
	readonly #help: string;
	readonly #bounds: Float64Array;
	readonly #cells: MetricSeries<Distribution>;

	constructor({ name, help, buckets, labels: names = [], openLabels: open = [] }: HistogramDefinition, bounded: BoundedLabels) {
		this.name = name;
		this.#help = help;
		this.#bounds = Float64Array.from(buckets);
		this.#cells = new MetricSeries({ names, open, bounded, create: () => ({ counts: new Float64Array(buckets.length + 1), sum: 0 }) });
	}

	record(value: number, ...labels: readonly string[]): void {
		if (!Number.isFinite(value)) return;
		const cell = this.#cells.of(labels);
		const bounds = this.#bounds;
		let index = 0;
		while (index < bounds.length && value > (bounds[index] as number)) index += 1;
		cell.counts[index] = (cell.counts[index] as number) + 1;
		cell.sum += value;
	}

	async get() {
		return { name: this.name, help: this.#help, type: "histogram", values: this.#cells.counted.flatMap((one) => this.#toValues(one)) };
	}

	#toValues({ labels, cell: { counts, sum } }: LabeledSeries<Distribution>): readonly MetricValue[] {
		let count = 0;
		const buckets = Array.from(counts, (own, index) => {
			count += own;
			return { metricName: `${this.name}_bucket`, labels: { ...labels, le: this.#bounds[index] ?? "+Inf" }, value: count };
		});
		return [...buckets, { metricName: `${this.name}_sum`, labels, value: sum }, { metricName: `${this.name}_count`, labels, value: count }];
	}
}
