/** What is measured: name, help and labels as Prometheus has them, so that any monitoring can take them over. */
export interface MetricDefinition {
	/** Letters, digits and `_`, with the unit at the end and `_total` behind what only grows: `svc_output_bytes_total`. */
	readonly name: string;
	/** One sentence. */
	readonly help: string;
	/** Names of labels, in the order in which values come. Their values are few: never an id, a user, or what a caller has written. */
	readonly labels?: readonly string[];
	/**
	 * Labels with as many values as there is content, such as actions. Whoever keeps measurements keeps some of the values, and counts the
	 * rest as `other`. Default none.
	 */
	readonly openLabels?: readonly string[];
}

/** What is measured as a distribution. */
export interface HistogramDefinition extends MetricDefinition {
	/** Upper bounds of the buckets, ascending. */
	readonly buckets: readonly number[];
}

/** Takes measurements of one metric. Cheap, and never throws: it stands where work is done. */
export interface Instrument {
	/** Of a counter: add the value, which is not negative. Of a histogram: one observation. With a value for each label. */
	record(value: number, ...labels: readonly string[]): void;
}

/** What a gauge shows at a moment: a value for each combination of values of labels. */
export type GaugeReading = readonly (readonly [value: number, ...labels: readonly string[]])[];

/** Declares what is measured. A name stands for one metric: whoever declares it again gets the same. */
export interface Meters {
	/** What only grows. */
	counter(definition: MetricDefinition): Instrument;
	/** How something is distributed. */
	histogram(definition: HistogramDefinition): Instrument;
	/** What goes up and down. `read` is called whenever somebody looks, perhaps several times in a second. */
	gauge(definition: MetricDefinition, read: () => GaugeReading | Promise<GaugeReading>): void;
}
