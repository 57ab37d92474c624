import { SvcError } from "../../core/contract/index.ts";

export interface PrometheusMetricsOptions {
	/**
	 * Maximum values of each label whose values depend on user data, such as actions. Further values are combined as `other`; 0 combines
	 * all. Default 100.
	 */
	readonly label_values?: number;
	/** True to add metrics of the process: memory, CPU time, event loop, garbage collection. Default true. */
	readonly process?: boolean;
}

export interface PrometheusMetricsSettings {
	readonly labelValues: number;
	readonly process: boolean;
}

const names = ["label_values", "process"];
const maxValues = 10_000;

/** Parses the options. Throws `SVC_CONFIG` with the name of the invalid option. */
export function parseOptions(given: unknown): PrometheusMetricsSettings {
	if (typeof given !== "object" || given === null || Array.isArray(given)) throw wrong("options: must be an object");
	const unknown = Object.keys(given).find((name) => !names.includes(name));
	if (unknown !== undefined) throw wrong(`${unknown}: is not allowed; allowed are ${names.join(", ")}`);
	const { label_values: labelValues = 100, process = true } = given as Record<string, unknown>;
	if (typeof labelValues !== "number" || !Number.isInteger(labelValues) || labelValues < 0 || labelValues > maxValues) {
		throw wrong(`label_values: must be a whole number from 0 to ${maxValues}`);
	}
	if (typeof process !== "boolean") throw wrong("process: must be true or false");
	return { labelValues, process };
}

function wrong(message: string): SvcError {
	return new SvcError("SVC_CONFIG", message);
}
