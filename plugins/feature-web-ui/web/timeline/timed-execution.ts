import type { ExecutionRecord } from "../../../_shipped/client.ts";

/** Attributes of an execution that a time line shows. */
export type TimedExecution = Pick<ExecutionRecord, "id" | "status" | "start_timestamp" | "end_timestamp" | "log" | "action" | "context">;

/** Attributes of `TimedExecution`, as `include_attributes` of a request. */
export const timedAttributes = "id,status,start_timestamp,end_timestamp,log,action.ref,context,parent";

/** Time during which an execution waited and ran, in milliseconds since 1970. */
export interface Span {
	readonly from: number;
	/** Start of the run; before this the execution waited. */
	readonly began: number;
	readonly to: number;
}

/** Returns when an execution waited and ran. If it has not ended, its span ends at `now`. */
export function toSpan({ start_timestamp, end_timestamp, log = [] }: TimedExecution, now: number): Span {
	const from = Date.parse(start_timestamp);
	const to = Math.max(from, end_timestamp === undefined ? now : Date.parse(end_timestamp));
	const running = log.find(({ status }) => status === "running");
	return { from, began: running === undefined ? to : Math.min(to, Math.max(from, Date.parse(running.timestamp))), to };
}

/** Returns the time range from the first start to the last end of the spans. */
export function toFrame(spans: readonly Span[]): Omit<Span, "began"> {
	let [from, to] = [Number.POSITIVE_INFINITY, 0];
	for (const span of spans) {
		from = Math.min(from, span.from);
		to = Math.max(to, span.to);
	}
	return { from, to };
}

/**
 * Returns the name of an execution in its workflow: the name of the task, with the number of the item. Outside a workflow, returns the ref
 * of the action.
 */
export function toTaskName({ action, context }: TimedExecution): string {
	const { task_name: name, item_id: item } = (context["workflow"] ?? {}) as { readonly task_name?: unknown; readonly item_id?: unknown };
	if (typeof name !== "string") return action.ref;
	return typeof item === "number" ? `${name} ${item + 1}` : name;
}
