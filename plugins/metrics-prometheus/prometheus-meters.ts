import type { Registry } from "prom-client";
import type { GaugeReading, HistogramDefinition, Instrument, Meters, MetricDefinition } from "../../core/contract/index.ts";
import { BoundedLabels } from "./bounded-labels.ts";
import { ProcessMetrics } from "./process-metrics.ts";

type Client = typeof import("prom-client");

/** What one combination of values of labels is counted in. */
type Child = (value: number) => void;

/** Metrics of prom-client, in a registry of their own: several services may live in one process. */
export class PrometheusMeters implements Meters {
	readonly #client: Client;
	readonly #registry: Registry;
	readonly #bounded: BoundedLabels;
	#process: ProcessMetrics | undefined;

	constructor(client: Client, { labelValues }: { readonly labelValues: number }) {
		this.#client = client;
		this.#registry = new client.Registry();
		this.#bounded = new BoundedLabels(labelValues);
	}

	counter(definition: MetricDefinition): Instrument {
		const counter = new this.#client.Counter(this.#toConfiguration(definition));
		return this.#instrument(definition, (labels) => {
			const child = counter.labels(...labels);
			return (value) => child.inc(value);
		});
	}

	histogram(definition: HistogramDefinition): Instrument {
		const histogram = new this.#client.Histogram({ ...this.#toConfiguration(definition), buckets: [...definition.buckets] });
		return this.#instrument(definition, (labels) => {
			const child = histogram.labels(...labels);
			return (value) => child.observe(value);
		});
	}

	gauge(definition: MetricDefinition, read: () => GaugeReading | Promise<GaugeReading>): void {
		const gauge = new this.#client.Gauge({
			...this.#toConfiguration(definition),
			async collect() {
				const reading = await read();
				// What is not there any more must not be told for ever.
				gauge.reset();
				for (const [value, ...labels] of reading) gauge.labels(...labels).set(value);
			},
		});
	}

	/** Memory, processor time, event loop and garbage collection of the process. */
	measureProcess(): void {
		this.#process = new ProcessMetrics(this.#client, this.#registry);
	}

	async expose(): Promise<{ readonly contentType: string; readonly text: string }> {
		return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
	}

	stop(): void {
		this.#process?.stop();
		this.#registry.clear();
	}

	#toConfiguration({ name, help, labels = [] }: MetricDefinition) {
		return { name, help, labelNames: [...labels], registers: [this.#registry] };
	}

	/** Each combination of values is looked for once, as that costs more than to count. */
	#instrument({ labels: names = [], openLabels: open = [] }: MetricDefinition, toChild: (labels: string[]) => Child): Instrument {
		if (names.length === 0) return { record: toChild([]) };
		const children = new Map<string, Child>();
		const find = (values: readonly string[]): Child => {
			const told = this.#bounded.of(names, open, values);
			const key = told.join("\0");
			const known = children.get(key);
			if (known !== undefined) return known;
			const child = toChild(told);
			children.set(key, child);
			return child;
		};
		return { record: (value, ...values) => find(values)(value) };
	}
}
