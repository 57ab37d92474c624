import { readdir } from "node:fs/promises";
import { constants, type IntervalHistogram, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import type { Registry } from "prom-client";
import type { HistogramDefinition, Instrument } from "../../core/contract/index.ts";

type Client = typeof import("prom-client");

const nanoseconds = 1e9;
const percentiles = [50, 90, 99, 100] as const;
const collections: Readonly<Record<number, string>> = {
	[constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
	[constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
	[constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
	[constants.NODE_PERFORMANCE_GC_WEAKCB]: "weakcb",
};

export const collectionDurations: HistogramDefinition = {
	name: "nodejs_gc_duration_seconds",
	help: "Duration of garbage collections.",
	labels: ["kind"],
	buckets: [0.001, 0.01, 0.1, 1],
};

/**
 * Standard process metrics of Prometheus, and metrics of Node.js. The default metrics of prom-client are not used, because their observers
 * can never be closed, and a program that starts and stops a service repeatedly would leak them.
 */
export class ProcessMetrics {
	readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: 20 });
	readonly #collections: PerformanceObserver;

	/** @param collected records the durations of garbage collections by kind; there may be a hundred per second */
	constructor(client: Client, registry: Registry, collected: Instrument) {
		const registers = [registry];
		const cpu = new client.Counter({
			...{ name: "process_cpu_seconds_total", help: "CPU time of the process.", registers },
			collect: () => {
				const { user, system } = process.cpuUsage();
				cpu.reset();
				cpu.inc((user + system) / 1_000_000);
			},
		});
		const started = Date.now() / 1_000 - process.uptime();
		const gauge = (name: string, help: string, read: () => number | Promise<number>) => {
			const made: InstanceType<Client["Gauge"]> = new client.Gauge({ name, help, registers, collect: async () => made.set(await read()) });
		};
		gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970.", () => started);
		gauge("process_resident_memory_bytes", "Resident memory of the process.", () => process.memoryUsage.rss());
		gauge("process_open_fds", "Open files and sockets.", async () => (await readdir("/proc/self/fd").catch(() => [])).length);
		gauge("nodejs_heap_used_bytes", "Memory used by JavaScript.", () => process.memoryUsage().heapUsed);
		this.#measureDelay(client, registry);
		this.#collections = observeCollections(collected);
	}

	stop(): void {
		this.#delay.disable();
		this.#collections.disconnect();
	}

	#measureDelay(client: Client, registry: Registry): void {
		const delay = this.#delay;
		const lag = new client.Gauge({
			name: "nodejs_eventloop_lag_seconds",
			help: "Delay of timers of the event loop since the last scrape.",
			labelNames: ["percentile"],
			registers: [registry],
			collect() {
				for (const percentile of percentiles) lag.labels(String(percentile)).set(delay.percentile(percentile) / nanoseconds);
				delay.reset();
			},
		});
		delay.enable();
	}
}

function observeCollections(duration: Instrument): PerformanceObserver {
	const observer = new PerformanceObserver((list) => {
		for (const entry of list.getEntries()) {
			const { kind = 0 } = ((entry as { readonly detail?: unknown }).detail ?? {}) as { readonly kind?: number };
			duration.record(entry.duration / 1_000, collections[kind] ?? "other");
		}
	});
	observer.observe({ entryTypes: ["gc"] });
	return observer;
}
