import type { Meters } from "./meters.ts";
import type { Lifecycle, Plugin } from "./plugin.ts";

/** Response to a monitoring system that scrapes metrics. */
export interface Exposition {
	readonly contentType: string;
	readonly text: string;
}

/** A completed operation: an execution, an event, or the processing of an event by a rule. It contains no secrets. */
export interface Span {
	/** Id of the distributed trace, 32 hexadecimal digits. Every node uses the same id for all spans of one `trace` record. */
	readonly trace_id: string;
	/** Id of the span, 16 hexadecimal digits. */
	readonly span_id: string;
	/** Id of the parent span. Undefined for a span that no other span of the trace has caused. */
	readonly parent_span_id: string | undefined;
	/** True if the parent span belongs to a client of the service. */
	readonly is_parent_remote: boolean;
	readonly name: string;
	/** Start and end, in microseconds since 1970. */
	readonly start: number;
	readonly end: number;
	readonly attributes: Readonly<Record<string, string | number>>;
	/** Reason of the failure, in one word. Undefined if the operation did not fail. */
	readonly failure: string | undefined;
}

/**
 * Receives metrics and traces of the service.
 *
 * Telemetry plugins start before all others and stop after them. Their methods must return without waiting and must never throw,
 * because telemetry must not affect the service.
 *
 * All members except `description` are optional. A plugin without any of them receives nothing.
 */
export interface Telemetry extends Lifecycle {
	/** Destination of the data, in one sentence. */
	readonly description: string;
	/**
	 * Returns the registry in which components define their metrics. Called once after `start`. Undefined if metrics are not collected,
	 * as when a package is missing.
	 */
	meters?(): Meters | undefined;
	/** Receives a completed operation. Called only if the client that began the trace wants it to be recorded. */
	span?(span: Span): void;
	/**
	 * Returns true if spans of a trace that begins in the service must be recorded. Default: all traces are recorded.
	 *
	 * The result for a `trace_id` must be the same on every node and in every call. If a client passes its own trace, the client
	 * decides.
	 */
	samples?(traceId: string): boolean;
	/** Returns the current values of all metrics for `GET /metrics`. Resolves with undefined if there are none. */
	expose?(): Promise<Exposition | undefined>;
}

/** A telemetry plugin, as a configuration refers to it; see `defineTelemetry`. */
export type TelemetryPlugin = Plugin<"telemetry", Telemetry>;
