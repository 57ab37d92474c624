import type { Meters } from "./meters.ts";
import type { Lifecycle, Plugin } from "./plugin.ts";

/** What a monitoring that asks is answered. */
export interface Exposition {
	readonly contentType: string;
	readonly text: string;
}

/** Something that has begun and ended: an execution, an event, what a rule did about one. Nothing of it is secret. */
export interface Span {
	/** 32 hexadecimal digits; the same for all that is in one trace of the service, on every node. */
	readonly trace_id: string;
	/** 16 hexadecimal digits. */
	readonly span_id: string;
	/** Undefined for what nothing in the trace has caused. */
	readonly parent_span_id: string | undefined;
	/** Whether the parent is of whoever has asked the service. */
	readonly is_parent_remote: boolean;
	readonly name: string;
	/** Microseconds since 1970. */
	readonly start: number;
	readonly end: number;
	readonly attributes: Readonly<Record<string, string | number>>;
	/** Why it counts as failed, in a word; undefined where it does not. */
	readonly failure: string | undefined;
}

/**
 * Is told what the service does: how much of it, how long it takes. Telemetry plugins start before all others and stop after them. What
 * they are told they must take without waiting, and nothing that goes wrong with it may be thrown: it must not touch the work.
 *
 * All members but `description` are optional; without any it is told nothing.
 */
export interface Telemetry extends Lifecycle {
	/** Where what it is told goes, in a sentence. */
	readonly description: string;
	/** Called once, after `start`: whoever measures declares its metrics there. Undefined: it takes none, as a package is missing. */
	meters?(): Meters | undefined;
	/** Something has ended. Only what whoever began the trace wants recorded. */
	span?(span: Span): void;
	/**
	 * Whether spans of a trace that begins in the service are to be recorded, by its `trace_id`: the same answer on every node, and each time.
	 * Whoever asks the service with a trace of their own has said so themselves. Default: all.
	 */
	samples?(traceId: string): boolean;
	/** All measurements as they are now, for whoever asks over `GET /metrics`. Undefined where there are none. */
	expose?(): Promise<Exposition | undefined>;
}

/** A telemetry plugin as it stands in a configuration; see `defineTelemetry`. */
export type TelemetryPlugin = Plugin<"telemetry", Telemetry>;
