import type { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import type { Span } from "../../core/contract/index.ts";

/** A span as exporters of OpenTelemetry take it. */
export type ReadableSpan = Parameters<OTLPTraceExporter["export"]>[0][number];

/** Numbers of the standard. */
const internalKind = 0;
const sampled = 1;
const status = { unset: 0, error: 2 } as const;

/** What is the same of all spans of a service. */
export type SpanOrigin = Pick<ReadableSpan, "resource" | "instrumentationScope">;

const unset: ReadableSpan["status"] = { code: status.unset };
const none: never[] = [];

/** A class, as to put members together by spreading takes several times as long as to send them. */
class SentSpan implements ReadableSpan {
	readonly name: string;
	readonly kind = internalKind;
	readonly startTime: [number, number];
	readonly endTime: [number, number];
	readonly duration: [number, number];
	readonly status: ReadableSpan["status"];
	readonly attributes: ReadableSpan["attributes"];
	readonly resource: ReadableSpan["resource"];
	readonly instrumentationScope: ReadableSpan["instrumentationScope"];
	readonly links = none;
	readonly events = none;
	readonly ended = true;
	readonly droppedAttributesCount = 0;
	readonly droppedEventsCount = 0;
	readonly droppedLinksCount = 0;
	readonly parentSpanContext?: ReturnType<ReadableSpan["spanContext"]>;
	readonly #context: ReturnType<ReadableSpan["spanContext"]>;

	constructor(span: Span, { resource, instrumentationScope }: SpanOrigin) {
		const { trace_id: traceId, parent_span_id: parent, failure } = span;
		this.name = span.name;
		this.startTime = toTime(span.start);
		this.endTime = toTime(span.end);
		this.duration = toTime(span.end - span.start);
		this.status = failure === undefined ? unset : { code: status.error, message: failure };
		this.attributes = span.attributes;
		this.resource = resource;
		this.instrumentationScope = instrumentationScope;
		this.#context = { traceId, spanId: span.span_id, traceFlags: sampled };
		if (parent === undefined) return;
		this.parentSpanContext = { traceId, spanId: parent, traceFlags: sampled, isRemote: span.is_parent_remote };
	}

	spanContext(): ReturnType<ReadableSpan["spanContext"]> {
		return this.#context;
	}
}

export function toReadableSpan(span: Span, origin: SpanOrigin): ReadableSpan {
	return new SentSpan(span, origin);
}

/** Seconds and nanoseconds. */
function toTime(microseconds: number): [number, number] {
	const seconds = Math.floor(microseconds / 1_000_000);
	return [seconds, Math.round(microseconds - seconds * 1_000_000) * 1_000];
}
