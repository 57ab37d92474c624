import type { ExecutionStatus } from "../../contract/index.ts";
import { toNameMatcher, toSubscription } from "../../http/event-name-filter.ts";
import type { QueryValues } from "../../http/query.ts";
import { type Presentation, presentOne } from "../../http/secret-presentation.ts";
import { toEventBytes } from "../../http/sse.ts";
import type { StreamEvent } from "./events-api.ts";
import { type Asking, presentExecution } from "./present-executions.ts";
import { toChunk, toLiveAction } from "./records-api.ts";

/** Query parameters of the general stream. */
export const streamFilterQuery = {
	events: "list",
	action_refs: "list",
	execution_ids: "list",
	end_event: "string",
	end_execution_id: "string",
} as const;

/** Output and tasks are sent to those only who ask for them. */
const defaultEvents = ["svc.execution__*", "svc.liveaction__*", "svc.announcement__*"];
const completed: ReadonlySet<ExecutionStatus> = new Set(["succeeded", "failed", "timeout", "canceled", "abandoned"]);

/** Which events go to a client, and which one is the last. */
export interface StreamFilter {
	/** Names to subscribe to; at least those that are accepted. */
	readonly subscriptions: readonly string[];
	accepts(event: StreamEvent): boolean;
	/** Whether one of them will be the last. */
	readonly hasEnd: boolean;
	isEnd(event: StreamEvent): boolean;
}

export function createStreamFilter(query: QueryValues<typeof streamFilterQuery>): StreamFilter {
	const { events = defaultEvents, action_refs, execution_ids, end_event, end_execution_id } = query;
	const isWanted = toNameMatcher(events);
	const ends = end_event !== undefined && end_execution_id !== undefined;
	return {
		subscriptions: [...new Set([...events, ...(ends ? [end_event] : [])].map(toSubscription))],
		accepts: (event) => isWanted(event.name) && isListed(toActionRef(event), action_refs) && isListed(toExecutionId(event), execution_ids),
		hasEnd: ends,
		isEnd: (event) =>
			ends &&
			event.name === end_event &&
			(event.kind === "execution" || event.kind === "liveaction") &&
			toRecordId(event) === end_execution_id &&
			completed.has(event.view.entity.status),
	};
}

/** What an event carries as the general stream sends it, secrets masked. */
function presentEvent(context: Asking, event: StreamEvent, presentation: Presentation): Promise<unknown> | unknown {
	switch (event.kind) {
		case "execution":
			return presentExecution(context, event.view, { presentation, isLive: true });
		case "liveaction":
			return presentOne(() => toLiveAction(event.view, presentation));
		case "output":
			return presentOne(() => toChunk(event.chunk, presentation));
		case "task":
			return event.task;
		case "other":
			return event.data;
	}
}

/** The bytes of an event on the general stream. No promise where nothing has to be waited for. */
export function toEventFrame(context: Asking, event: StreamEvent, presentation: Presentation): Promise<Uint8Array> | Uint8Array {
	const toBytes = (data: unknown) => toEventBytes({ event: event.name, data, ...(event.kind === "output" && { id: event.chunk.id }) });
	const data = presentEvent(context, event, presentation);
	return data instanceof Promise ? data.then(toBytes) : toBytes(data);
}

function isListed(value: string | undefined, list: readonly string[] | undefined): boolean {
	return list === undefined || (value !== undefined && list.includes(value));
}

/** The action whose execution an event is about; undefined for other events. */
export function toActionRef(event: StreamEvent): string | undefined {
	if (event.kind === "output") return event.chunk.action_ref;
	if (event.kind === "task") return event.task.action_ref;
	return event.kind === "other" ? undefined : event.view.entity.action_ref;
}

/** Live actions have no execution id on the stream. */
function toExecutionId(event: StreamEvent): string | undefined {
	if (event.kind === "output") return event.chunk.execution_id;
	if (event.kind === "task") return event.task.execution_id;
	return event.kind === "execution" ? event.view.entity.id : undefined;
}

function toRecordId(event: StreamEvent & { readonly kind: "execution" | "liveaction" }): string {
	return event.kind === "execution" ? event.view.entity.id : event.view.entity.liveaction_id;
}
