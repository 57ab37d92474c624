import type { EventData, ExecutionEntity, Instrument, MetricDefinition } from "../../contract/index.ts";
import { findPagedText } from "../../lib/bytes/pooled-text.ts";
import { eventNames } from "../executions/execution-events.ts";
import type { OutputChunk } from "../executions/executions-api.ts";
import { isCompleted, isEndedUntold } from "../executions/status.ts";
import type { BusListener, TelemetryHub } from "./telemetry-hub.ts";

/** What becomes of an event as it is stored; the processor knows of those that are stored as processed. */
export const eventOutcomes: MetricDefinition = {
	name: "svc_trigger_instances_total",
	help: "Events that came in: pending ones are looked at later, about acted ones everything was done at once, dismissed ones concern nobody.",
	labels: ["outcome"],
};

/** Counts events by what this node stores of them. */
export function countEvents(hub: TelemetryHub): void {
	const events = hub.counter(eventOutcomes);
	hub.onStored("trigger_instance", (stored) => {
		for (const { status } of stored) if (status !== "processed") events.record(1, "pending");
	});
}

/** Seconds: from a command that does nothing to a run of a day. */
const durations = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200, 86_400];
const waits = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600];

/** Counts executions and their output by what this node tells of them. */
export class ExecutionMetrics implements BusListener {
	readonly #created: Instrument;
	readonly #ended: Instrument;
	readonly #duration: Instrument;
	readonly #wait: Instrument;
	readonly #outputBytes: Instrument;
	readonly #outputChunks: Instrument;

	constructor(hub: TelemetryHub) {
		this.#created = hub.counter({
			name: "svc_executions_created_total",
			help: "Executions that were accepted here.",
			labels: ["runner"],
		});
		this.#ended = hub.counter({
			name: "svc_executions_total",
			help: "Executions that came to their end here, by status.",
			labels: ["status", "runner", "action"],
			openLabels: ["action"],
		});
		this.#duration = hub.histogram({
			name: "svc_execution_duration_seconds",
			help: "From the request of an execution to its end.",
			labels: ["runner"],
			buckets: durations,
		});
		this.#wait = hub.histogram({
			name: "svc_execution_wait_seconds",
			help: "From the time at which an execution was due to the begin of its run.",
			labels: ["runner"],
			buckets: waits,
		});
		this.#outputBytes = hub.counter({ name: "svc_output_bytes_total", help: "Output that was stored, in bytes.", labels: ["type"] });
		hub.onStored("execution", (stored) => {
			for (const execution of stored) this.#appeared(execution);
		});
		this.#outputChunks = hub.counter({ name: "svc_output_chunks_total", help: "Pieces in which output was stored.", labels: ["type"] });
	}

	published(name: string, data: EventData): void {
		if (name === eventNames.executionUpdate) this.#updated(data["entity"] as ExecutionEntity);
		else if (name === eventNames.outputCreate) this.#output(data["chunk"] as OutputChunk);
	}

	#appeared(execution: ExecutionEntity): void {
		this.#created.record(1, execution.runner_name);
		if (isEndedUntold(execution)) this.#over(execution);
	}

	#updated(execution: ExecutionEntity): void {
		if (isCompleted(execution.status)) this.#over(execution);
		else if (execution.status === "running") this.#begun(execution);
	}

	#over({ status, runner_name, action_ref, elapsed_seconds }: ExecutionEntity): void {
		this.#ended.record(1, status, runner_name, action_ref);
		if (elapsed_seconds !== null) this.#duration.record(elapsed_seconds, runner_name);
	}

	/** Not of one that goes on after a pause, and not of what else is told of a run. */
	#begun({ log, due_timestamp, runner_name }: ExecutionEntity): void {
		const last = log.length - 1;
		const begun = log[last];
		if (begun?.status !== "running" || log.findIndex(({ status }) => status === "running") < last) return;
		this.#wait.record(Math.max(0, (Date.parse(begun.timestamp) - Date.parse(due_timestamp)) / 1_000), runner_name);
	}

	#output(chunk: OutputChunk): void {
		const { output_type } = chunk;
		// Of text in a page each character is a byte, and to ask for the text makes it anew.
		this.#outputBytes.record(findPagedText(chunk)?.length ?? Buffer.byteLength(chunk.data), output_type);
		this.#outputChunks.record(1, output_type);
	}
}
