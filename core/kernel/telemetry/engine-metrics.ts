import type { EventData, ExecutionEntity, Instrument, MetricDefinition } from "../../contract/index.ts";
import { findPooledText } from "../../lib/bytes/pooled-text.ts";
import { eventNames } from "../executions/execution-events.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import { hasEndedBeforeStart, isCompleted } from "../executions/status.ts";
import type { PublishListener, TelemetryHub } from "./telemetry-hub.ts";

/** Counter of stored events by outcome. `EventProcessor` counts the events that it stores as processed, `installPendingEventCounter` all others. */
export const eventOutcomesMetric: MetricDefinition = {
	name: "svc_trigger_instances_total",
	help: "Events that arrived, by outcome: acted (processed at once), pending (processed later), dismissed (no rule applies).",
	labels: ["outcome"],
};

/** Counts the events that this node stores as pending or claimed. */
export function installPendingEventCounter(hub: TelemetryHub): void {
	const events = hub.counter(eventOutcomesMetric);
	hub.onStored("trigger_instance", (instances) => {
		for (const { status } of instances) if (status !== "processed") events.record(1, "pending");
	});
}

/** Upper bounds of the duration histogram, in seconds. They range from a command that does nothing to a run of one day. */
const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400];
/** Upper bounds of the wait histogram, in seconds. */
const waitBuckets = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600];

/** Derives the metrics of executions and output from the bus events that this node publishes and the executions that it inserts. */
export class ExecutionMetrics implements PublishListener {
	readonly #created: Instrument;
	readonly #ended: Instrument;
	readonly #duration: Instrument;
	readonly #wait: Instrument;
	readonly #outputBytes: Instrument;
	readonly #outputChunks: Instrument;

	constructor(hub: TelemetryHub) {
		this.#created = hub.counter({
			name: "svc_executions_created_total",
			help: "Executions that this node accepted.",
			labels: ["runner"],
		});
		this.#ended = hub.counter({
			name: "svc_executions_total",
			help: "Executions that ended on this node, by status.",
			labels: ["status", "runner", "action"],
			openLabels: ["action"],
		});
		this.#duration = hub.histogram({
			name: "svc_execution_duration_seconds",
			help: "Time from the request of an execution to its end.",
			labels: ["runner"],
			buckets: durationBuckets,
		});
		this.#wait = hub.histogram({
			name: "svc_execution_wait_seconds",
			help: "Time from when an execution was due to the start of its run.",
			labels: ["runner"],
			buckets: waitBuckets,
		});
		this.#outputBytes = hub.counter({ name: "svc_output_bytes_total", help: "Bytes of output that were stored.", labels: ["type"] });
		hub.onStored("execution", (executions) => {
			for (const execution of executions) this.#onInserted(execution);
		});
		this.#outputChunks = hub.counter({ name: "svc_output_chunks_total", help: "Chunks of output that were stored.", labels: ["type"] });
	}

	onPublished(name: string, data: EventData): void {
		if (name === eventNames.executionUpdate) this.#onUpdated(data["entity"] as ExecutionEntity);
		else if (name === eventNames.outputCreate) this.#recordOutput(data["chunk"] as OutputChunk);
	}

	#onInserted(execution: ExecutionEntity): void {
		this.#created.record(1, execution.runner_name);
		if (hasEndedBeforeStart(execution)) this.#recordEnd(execution);
	}

	#onUpdated(execution: ExecutionEntity): void {
		if (isCompleted(execution.status)) this.#recordEnd(execution);
		else if (execution.status === "running") this.#recordWait(execution);
	}

	#recordEnd({ status, runner_name, action_ref, elapsed_seconds }: ExecutionEntity): void {
		this.#ended.record(1, status, runner_name, action_ref);
		if (elapsed_seconds !== null) this.#duration.record(elapsed_seconds, runner_name);
	}

	/**
	 * Records how long the execution has waited, if its run has just begun. Ignores runs that resume after a pause, and all other updates
	 * of a running execution.
	 */
	#recordWait({ log, due_timestamp, runner_name }: ExecutionEntity): void {
		const lastIndex = log.length - 1;
		const lastEntry = log[lastIndex];
		if (lastEntry?.status !== "running" || log.findIndex(({ status }) => status === "running") < lastIndex) return;
		this.#wait.record(Math.max(0, (Date.parse(lastEntry.timestamp) - Date.parse(due_timestamp)) / 1_000), runner_name);
	}

	#recordOutput(chunk: OutputChunk): void {
		const { output_type } = chunk;
		// Use the length of pooled text, in which each character is one byte. Reading `data` would create the string.
		this.#outputBytes.record(findPooledText(chunk)?.length ?? Buffer.byteLength(chunk.data), output_type);
		this.#outputChunks.record(1, output_type);
	}
}
