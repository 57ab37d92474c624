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

export function toReadableSpan(span: Span, origin: SpanOrigin): ReadableSpan {
	const { trace_id: traceId, span_id: spanId, parent_span_id: parent, is_parent_remote: isRemote, failure, attributes } = span;
	const context = { traceId, spanId, traceFlags: sampled };
	return {
		...origin,
		name: span.name,
		kind: internalKind,
		spanContext: () => context,
		...(parent !== undefined && { parentSpanContext: { traceId, spanId: parent, traceFlags: sampled, isRemote } }),
		startTime: toTime(span.start),
		endTime: toTime(span.end),
		duration: toTime(span.end - span.start),
		status: failure === undefined ? { code: status.unset } : { code: status.error, message: failure },
		attributes,
		links: [],
		events: [],
		ended: true,
		droppedAttributesCount: 0,
		droppedEventsCount: 0,
		droppedLinksCount: 0,
	};
}

/** Seconds and nanoseconds. */
function toTime(microseconds: number): [number, number] {
	const seconds = Math.floor(microseconds / 1_000_000);
	return [seconds, Math.round(microseconds - seconds * 1_000_000) * 1_000];
}
