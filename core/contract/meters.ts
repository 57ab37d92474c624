/** A metric. Name, help and labels follow Prometheus, so that any monitoring system can adopt them. */
export interface MetricDefinition {
	/** Letters, digits and `_`. The unit is last, followed by `_total` for a counter: `svc_output_bytes_total`. */
	readonly name: string;
	/** Description of the metric, one sentence. */
	readonly help: string;
	/** Names of labels, in the order of the values. A label must have few values: never ids, users, or input of callers. Default none. */
	readonly labels?: readonly string[];
	/**
	 * Those of `labels` that may have many values, such as the ref of an action. Default none.
	 *
	 * A telemetry plugin keeps a limited number of their values and counts the rest as `other`.
	 */
	readonly openLabels?: readonly string[];
}

/** A metric that describes a distribution. */
export interface HistogramDefinition extends MetricDefinition {
	/** Upper bounds of the buckets, in ascending order. */
	readonly buckets: readonly number[];
}

/** Records measurements of one metric. It must be cheap and must never throw, because it is called during normal work. */
export interface Instrument {
	/**
	 * Adds a value to a counter, or one observation to a histogram. Values of a counter are not negative. Pass one value for each
	 * label.
	 */
	record(value: number, ...labels: readonly string[]): void;
}

/** Current values of a gauge, one for each combination of label values. */
export type GaugeReading = readonly (readonly [value: number, ...labels: readonly string[]])[];

/** Registry of metrics. A name identifies one metric: a repeated definition returns the existing metric. */
export interface Meters {
	/** Defines a metric that only increases. */
	counter(definition: MetricDefinition): Instrument;
	/** Defines a metric that describes a distribution. */
	histogram(definition: HistogramDefinition): Instrument;
	/** Defines a metric that increases and decreases. `read` is called at each scrape, possibly several times a second. */
	gauge(definition: MetricDefinition, read: () => GaugeReading | Promise<GaugeReading>): void;
}
