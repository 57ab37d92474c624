import type { EntityKindDefinition } from "./kind.ts";

/** What ties together everything that came of one event or request. */
export interface TraceEntity {
	readonly id: string;
	readonly trace_tag: string;
	readonly start_timestamp: string;
	/** Where whoever began it stands in a trace of their own, as the header `traceparent` says it; null: nowhere. Shown nowhere. */
	readonly traceparent: string | null;
}

export const traceKind: EntityKindDefinition<TraceEntity> = {
	fields: { id: "text", trace_tag: "text", start_timestamp: "text", traceparent: "text" },
	indexes: [["trace_tag", "start_timestamp"], ["start_timestamp"]],
	timeline: "start_timestamp",
	shareable: true,
};
