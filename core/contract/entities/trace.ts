import type { EntityKindDefinition } from "./kind.ts";

/** What ties together everything that came of one event or request. */
export interface TraceEntity {
	readonly id: string;
	readonly trace_tag: string;
	readonly start_timestamp: string;
}

export const traceKind: EntityKindDefinition<TraceEntity> = {
	fields: { id: "text", trace_tag: "text", start_timestamp: "text" },
	indexes: [["trace_tag", "start_timestamp"], ["start_timestamp"]],
	shareable: true,
};
