import type { ExecutionStatus, GaugeReading, Storage } from "../../contract/index.ts";
import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { TelemetryHub } from "../../kernel/telemetry/telemetry-hub.ts";
import { telemetryRoutes } from "./routes.ts";
import { Tracer } from "./tracer.ts";

/** Creates the feature for metrics and trace spans. */
export function createTelemetryFeature(kernel: Kernel): HttpFeature {
	measureBacklog(kernel);
	if (kernel.hub.acceptsSpans) new Tracer(kernel).start();
	return { api: {}, routes: telemetryRoutes };
}

/** Statuses of executions that have not ended. */
const open: readonly ExecutionStatus[] = [
	...(["requested", "scheduled", "delayed", "running", "pausing", "paused", "resuming", "pending", "canceling"] as const),
];
/** Maximum reported count. A larger backlog is reported as this number, which limits the cost of counting. */
const maxReportedCount = 10_000;
/** Milliseconds for which a reading is cached, so that frequent metrics requests do not load the storage. */
const kept = 10_000;

/**
 * Adds gauges for the open executions and events of the whole service, as counted in the storage. Every node reports the same values, so
 * that they are available while at least one node runs.
 */
function measureBacklog({ storage, hub }: { readonly storage: Storage; readonly hub: TelemetryHub }): void {
	hub.gauge(
		{
			name: "svc_executions_open",
			help: `Executions of the whole service that have not ended, by status. Each node reports the same value, so do not sum it. ${maxReportedCount} means at least that many.`,
			labels: ["status"],
		},
		keep(() => Promise.all(open.map(async (status) => [await storage.count("execution", { status }, maxReportedCount), status] as const))),
	);
	hub.gauge(
		{
			name: "svc_trigger_instances_open",
			help: `Events of all nodes that are pending or being processed. ${maxReportedCount} means at least that many.`,
		},
		keep(async () => [[await storage.count("trigger_instance", { status: { in: ["pending", "processing"] } }, maxReportedCount)]]),
	);
}

/** Returns a function that calls `read` and caches its result for 10 s. After a failure, the next call reads again. */
function keep(read: () => Promise<GaugeReading>): () => Promise<GaugeReading> {
	let last: { readonly at: number; readonly reading: Promise<GaugeReading> } | undefined;
	return () => {
		const now = performance.now();
		if (last !== undefined && now - last.at < kept) return last.reading;
		const asked = { at: now, reading: read() };
		last = asked;
		asked.reading.catch(() => {
			if (last === asked) last = undefined;
		});
		return asked.reading;
	};
}
