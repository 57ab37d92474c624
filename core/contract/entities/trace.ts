import type { EntityKindDefinition } from "./kind.ts";

/** A trace: connects all records that one event or request has caused. */
export interface TraceEntity {
	readonly id: string;
	readonly trace_tag: string;
	readonly start_timestamp: string;
	/** Trace context of the client that began the trace, as in the header `traceparent`. Null if there was none. Never shown. */
	readonly traceparent: string | null;
}

export const traceKind: EntityKindDefinition<TraceEntity> = {
	fields: { id: "text", trace_tag: "text", start_timestamp: "text", traceparent: "text" },
	indexes: [["trace_tag", "start_timestamp"], ["start_timestamp"]],
	timeline: "start_timestamp",
	shareable: true,
};
