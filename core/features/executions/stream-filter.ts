import { toBusPattern, toNameMatcher } from "../../http/event-name-filter.ts";
import type { QueryValues } from "../../http/query.ts";
import { presentRecord, type RecordVisibility } from "../../http/record-visibility.ts";
import { toEventBytes } from "../../http/sse.ts";
import { isCompleted } from "../../kernel/executions/status.ts";
import { type PresentationContext, presentExecution } from "./present-executions.ts";
import { toChunk, toLiveAction } from "./records-exports.ts";
import type { StreamEvent } from "./stream-events-exports.ts";

export const streamFilterQuery = {
	events: "list",
	action_refs: "list",
	execution_ids: "list",
	end_event: "string",
	end_execution_id: "string",
} as const;

/** Events sent by default. Output and tasks are sent only to clients that request them. */
const defaultEvents = ["svc.execution__*", "svc.liveaction__*", "svc.announcement__*"];

/** Selects the events sent to a client, and the one that ends its stream. */
export interface StreamFilter {
	/** Names to subscribe to. They include all names that `accepts` accepts. */
	readonly subscriptions: readonly string[];
	accepts(event: StreamEvent): boolean;
	/** True if an event can end the stream. */
	readonly hasEnd: boolean;
	isEnd(event: StreamEvent): boolean;
}

export function createStreamFilter(query: QueryValues<typeof streamFilterQuery>): StreamFilter {
	const { events = defaultEvents, action_refs, execution_ids, end_event, end_execution_id } = query;
	const isWanted = toNameMatcher(events);
	const ends = end_event !== undefined && end_execution_id !== undefined;
	return {
		subscriptions: [...new Set([...events, ...(ends ? [end_event] : [])].map(toBusPattern))],
		accepts: (event) => isWanted(event.name) && isListed(toActionRef(event), action_refs) && isListed(toExecutionId(event), execution_ids),
		hasEnd: ends,
		isEnd: (event) =>
			ends &&
			event.name === end_event &&
			(event.kind === "execution" || event.kind === "liveaction") &&
			toRecordId(event) === end_execution_id &&
			isCompleted(event.view.entity.status),
	};
}

/** Returns the contents of an event as the general stream sends them, with secrets masked. */
function presentEvent(context: PresentationContext, event: StreamEvent, presentation: RecordVisibility): Promise<unknown> | unknown {
	switch (event.kind) {
		case "execution":
			return presentExecution(context, event.view, { presentation, isLive: true });
		case "liveaction":
			return presentRecord(() => toLiveAction(event.view, presentation));
		case "output":
			return presentRecord(() => toChunk(event.chunk, presentation));
		case "task":
			return event.task;
		case "other":
			return event.data;
	}
}

/** Returns the bytes of an event for the general stream; a promise only if the record must be read first. */
export function toEventFrame(
	context: PresentationContext,
	event: StreamEvent,
	presentation: RecordVisibility,
): Promise<Uint8Array> | Uint8Array {
	const toBytes = (data: unknown) => toEventBytes({ event: event.name, data, ...(event.kind === "output" && { id: event.chunk.id }) });
	const data = presentEvent(context, event, presentation);
	return data instanceof Promise ? data.then(toBytes) : toBytes(data);
}

function isListed(value: string | undefined, list: readonly string[] | undefined): boolean {
	return list === undefined || (value !== undefined && list.includes(value));
}

/** Returns the action of the execution to which the event belongs; undefined for other events. */
export function toActionRef(event: StreamEvent): string | undefined {
	if (event.kind === "output") return event.chunk.action_ref;
	if (event.kind === "task") return event.task.action_ref;
	return event.kind === "other" ? undefined : event.view.entity.action_ref;
}

/** Returns the execution id of an event; undefined for live actions, whose events contain none, and for other events. */
function toExecutionId(event: StreamEvent): string | undefined {
	if (event.kind === "output") return event.chunk.execution_id;
	if (event.kind === "task") return event.task.execution_id;
	return event.kind === "execution" ? event.view.entity.id : undefined;
}

function toRecordId(event: StreamEvent & { readonly kind: "execution" | "liveaction" }): string {
	return event.kind === "execution" ? event.view.entity.id : event.view.entity.liveaction_id;
}
