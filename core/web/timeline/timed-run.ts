import type { ExecutionRecord } from "../../features/clients.ts";

/** What a time line shows of an execution, as the service has it. */
export type TimedRun = Pick<ExecutionRecord, "id" | "status" | "start_timestamp" | "end_timestamp" | "log" | "action" | "context">;

/** The same, for the service. */
export const timedAttributes = "id,status,start_timestamp,end_timestamp,log,action.ref,context,parent";

/** When something waited and when it ran, in milliseconds. */
export interface Span {
	readonly from: number;
	/** When it began to run: until then it waited. */
	readonly began: number;
	readonly to: number;
}

/** When an execution waited and ran; one that has not ended goes on until now. */
export function toSpan({ start_timestamp, end_timestamp, log = [] }: TimedRun, now: number): Span {
	const from = Date.parse(start_timestamp);
	const to = Math.max(from, end_timestamp === undefined ? now : Date.parse(end_timestamp));
	const running = log.find(({ status }) => status === "running");
	return { from, began: running === undefined ? to : Math.min(to, Math.max(from, Date.parse(running.timestamp))), to };
}

/** From the first start to the last end. */
export function toFrame(spans: readonly Span[]): Omit<Span, "began"> {
	let [from, to] = [Number.POSITIVE_INFINITY, 0];
	for (const span of spans) {
		from = Math.min(from, span.from);
		to = Math.max(to, span.to);
	}
	return { from, to };
}

/** What it is called in a workflow: the name of its task, with the number of its item; else its action. */
export function toTaskName({ action, context }: TimedRun): string {
	const { task_name: name, item_id: item } = (context["workflow"] ?? {}) as { readonly task_name?: unknown; readonly item_id?: unknown };
	if (typeof name !== "string") return action.ref;
	return typeof item === "number" ? `${name} ${item + 1}` : name;
}
