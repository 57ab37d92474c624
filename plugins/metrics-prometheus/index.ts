import {
	defineTelemetry,
	type Exposition,
	type Logger,
	type Meters,
	type PluginContext,
	type Telemetry,
} from "../../core/contract/index.ts";
import { importPackage } from "../_packages/import-package.ts";
import { type PrometheusMetricsOptions, parseOptions } from "./options.ts";
import { PrometheusMeters } from "./prometheus-meters.ts";

export type { PrometheusMetricsOptions } from "./options.ts";

/** Metrics for Prometheus, served by `GET /metrics`. */
export const prometheusMetrics = defineTelemetry("prometheus", (options: PrometheusMetricsOptions) => new PrometheusMetrics(options));

export class PrometheusMetrics implements Telemetry {
	readonly description = "Metrics for Prometheus at GET /metrics.";
	readonly #options: PrometheusMetricsOptions;
	readonly #package: string;
	#meters: PrometheusMeters | undefined;

	/** @param name name of the metrics package, so that a test can use a missing one */
	constructor(options: PrometheusMetricsOptions, name = "prom-client") {
		this.#options = options;
		this.#package = name;
	}

	async check(): Promise<void> {
		parseOptions(this.#options);
	}

	/** Starts the metrics. Without the package the service works but measures nothing. */
	async start({ logger }: Pick<PluginContext, "logger">): Promise<void> {
		const settings = parseOptions(this.#options);
		const client = await this.#load(logger);
		if (client === undefined) return;
		this.#meters = new PrometheusMeters(client, settings);
		if (settings.process) this.#meters.measureProcess();
	}

	async #load(logger: Logger): Promise<typeof import("prom-client") | undefined> {
		const name = this.#package;
		try {
			return (await importPackage(name, "telemetry prometheus")) as typeof import("prom-client");
		} catch (error) {
			logger.warn("optional package is missing", { package: name, off: "metrics", install: `npm install ${name}`, error });
			return undefined;
		}
	}

	meters(): Meters | undefined {
		return this.#meters;
	}

	async expose(): Promise<Exposition | undefined> {
		return this.#meters?.expose();
	}

	async stop(): Promise<void> {
		this.#meters?.stop();
		this.#meters = undefined;
	}
}
