import type { ExecutionStatus, GaugeReading, Storage } from "../../contract/index.ts";
import type { TelemetryHub } from "../../kernel/telemetry/telemetry-hub.ts";

/** What is not final yet. */
const open: readonly ExecutionStatus[] = [
	...(["requested", "scheduled", "delayed", "running", "pausing", "paused", "resuming", "pending", "canceling"] as const),
];
/** Nobody counts more than this: where so many wait, how many more there are changes nothing. */
const most = 10_000;
/** Milliseconds for which an answer is kept, so that the storage is not asked more often however many ask. */
const kept = 10_000;

/**
 * How much waits and runs in the whole service, as its storage has it. Every node tells the same, so that it is known as long as one is
 * there.
 */
export function measureBacklog({ storage, hub }: { readonly storage: Storage; readonly hub: TelemetryHub }): void {
	hub.gauge(
		{
			name: "svc_executions_open",
			help: `Executions of the whole service that have not ended, by status; ${most} means that many or more.`,
			labels: ["status"],
		},
		keep(() => Promise.all(open.map(async (status) => [await storage.count("execution", { status }, most), status] as const))),
	);
	hub.gauge(
		{
			name: "svc_trigger_instances_open",
			help: `Events of the whole service that wait or are looked at; ${most} means that many or more.`,
		},
		keep(async () => [[await storage.count("trigger_instance", { status: { in: ["pending", "processing"] } }, most)]]),
	);
}

/** Ask once, and give the answer to everybody for a while; after a failure ask again. */
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
