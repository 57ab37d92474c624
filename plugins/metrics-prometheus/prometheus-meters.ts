import type { Metric, Registry } from "prom-client";
import type { GaugeReading, HistogramDefinition, Instrument, Meters, MetricDefinition } from "../../core/contract/index.ts";
import { BoundedLabels } from "./bounded-labels.ts";
import { CounterMetric, HistogramMetric, type ReadableMetric } from "./metrics.ts";
import { collectionDurations, ProcessMetrics } from "./process-metrics.ts";

type Client = typeof import("prom-client");

/** Metrics in a separate prom-client registry, because one process may run several services. */
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
		return this.#register(new CounterMetric(definition, this.#bounded));
	}

	histogram(definition: HistogramDefinition): Instrument {
		return this.#register(new HistogramMetric(definition, this.#bounded));
	}

	gauge(definition: MetricDefinition, read: () => GaugeReading | Promise<GaugeReading>): void {
		const gauge = new this.#client.Gauge({
			...this.#toConfiguration(definition),
			async collect() {
				const reading = await read();
				// Remove values that no longer exist, so that they are not reported forever.
				gauge.reset();
				for (const [value, ...labels] of reading) gauge.labels(...labels).set(value);
			},
		});
	}

	/** Adds memory, CPU time, event loop and garbage collection of the process. */
	measureProcess(): void {
		this.#process = new ProcessMetrics(this.#client, this.#registry, this.histogram(collectionDurations));
	}

	async expose(): Promise<{ readonly contentType: string; readonly text: string }> {
		return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
	}

	stop(): void {
		this.#process?.stop();
		this.#registry.clear();
	}

	/** Adds a metric to the registry. The registry uses only its name and `get`, although its type requires more members. */
	#register<M extends ReadableMetric>(metric: M): M {
		this.#registry.registerMetric(metric as unknown as Metric);
		return metric;
	}

	#toConfiguration({ name, help, labels = [] }: MetricDefinition) {
		return { name, help, labelNames: [...labels], registers: [this.#registry] };
	}
}
