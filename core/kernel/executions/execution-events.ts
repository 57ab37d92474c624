import {
	type AnnouncementSubject,
	type BusEvent,
	type EventBus,
	type ExecutionEntity,
	type ExecutionStatus,
	type JsonObject,
	SvcError,
} from "../../contract/index.ts";
import { withOwnedText } from "../../lib/bytes/pooled-text.ts";
import { PrivateSlot } from "../../lib/private-slot.ts";
import type { OutputChunk } from "./executions-api.ts";
import { expiredLeaseTimestamp, isCompleted } from "./status.ts";

/** Names of bus events. All but the last two are also event names on the general stream. */
export const eventNames = {
	executionCreate: "svc.execution__create",
	executionUpdate: "svc.execution__update",
	outputCreate: "svc.execution.output__create",
	taskUpdate: "svc.task__update",
	pending: "svc.execution__pending",
	runInterrupt: "svc.run__interrupt",
} as const;

/** The name of an announcement is this prefix followed by its route. */
export const announcementPrefix = "svc.announcement__";

interface ExecutionEventData {
	readonly execution_id: string;
	readonly entity: ExecutionEntity;
}

interface InterruptEventData {
	readonly execution_id: string;
	readonly status: ExecutionStatus;
}

/** Copies of chunks with pooled text, by the output event of the chunk. A copy has an owned string. */
const copiedChunks = new PrivateSlot<BusEvent, OutputChunk>();

interface OutputEventData {
	readonly execution_id: string;
	readonly chunk: OutputChunk;
}

/** Change of a task of a workflow: the members of `TaskState`, and fields of the execution that the task belongs to. */
export type TaskUpdate = JsonObject & { readonly execution_id: string; readonly action_ref: string; readonly timestamp: string };

/** Publishes a new execution. */
export function publishCreated(bus: EventBus, entity: ExecutionEntity): void {
	bus.publish(eventNames.executionCreate, { execution_id: entity.id, entity } satisfies ExecutionEventData);
}

/** Publishes a stored change of an execution. */
export function publishUpdated(bus: EventBus, entity: ExecutionEntity): void {
	bus.publish(eventNames.executionUpdate, { execution_id: entity.id, entity } satisfies ExecutionEventData);
}

/** Notifies the schedulers of all nodes that an execution is ready to be resumed by any of them. */
export function publishResumable(bus: EventBus): void {
	bus.publish(eventNames.pending, { node_id: null, delayed: false, ready: true });
}

/**
 * Publishes a stored change, and notifies the nodes that must resume or interrupt the execution because of it. An interrupt is a small
 * event, because every node that runs executions receives it.
 */
export function publishTransition(bus: EventBus, execution: ExecutionEntity): void {
	const { id, status } = execution;
	publishUpdated(bus, execution);
	if (execution.lease_expires_at === expiredLeaseTimestamp) publishResumable(bus);
	else if (["canceling", "pausing"].includes(status) || isCompleted(status))
		bus.publish(eventNames.runInterrupt, { execution_id: id, status } satisfies InterruptEventData);
}

/** Publishes a recorded chunk of output. */
export function publishOutput(bus: EventBus, chunk: OutputChunk): void {
	bus.publish(eventNames.outputCreate, { execution_id: chunk.execution_id, chunk } satisfies OutputEventData);
}

/** Publishes a change of a task of a workflow. The caller has masked the secrets of the task. */
export function publishTask(
	bus: EventBus,
	{ id, action_ref }: Pick<ExecutionEntity, "id" | "action_ref">,
	{ task, timestamp }: { readonly task: JsonObject; readonly timestamp: string },
): void {
	const update: TaskUpdate = { ...task, execution_id: id, action_ref, timestamp };
	bus.publish(eventNames.taskUpdate, update);
}

interface Announcement {
	readonly payload: JsonObject;
	readonly traceId: string;
	/** The execution that the payload describes. Undefined: every client that may read the stream receives the announcement. */
	readonly about: AnnouncementSubject | undefined;
}

/**
 * Publishes an announcement of an action on the general stream. Throws `SVC_INVALID` unless the route consists of 1 to 255 letters, digits,
 * dots, hyphens and underscores.
 */
export function publishAnnouncement(bus: EventBus, route: string, { payload, traceId, about }: Announcement): void {
	// Other characters would make the event name a subscription pattern, or corrupt a frame of the stream.
	if (!/^[\w.-]{1,255}$/.test(route)) throw new SvcError("SVC_INVALID", "route: must be 1 to 255 letters, digits, dots, - and _");
	const { action_ref, user } = about ?? {};
	bus.publish(announcementPrefix + route, {
		data: { payload, trace_context: { id_: traceId } },
		...(action_ref !== undefined && user !== undefined && { about: { action_ref, user } }),
	});
}

/** Returns the id of the execution that an event is about; undefined if the event has none. */
export function readExecutionId(event: BusEvent): string | undefined {
	return typeof event.data["execution_id"] === "string" ? event.data["execution_id"] : undefined;
}

/** Returns the execution as it was when its event was published. */
export function readEventExecution(event: BusEvent): ExecutionEntity {
	return (event.data as unknown as ExecutionEventData).entity;
}

/** Returns the status that an interrupt event reports for its execution. */
export function readInterruptStatus(event: BusEvent): ExecutionStatus {
	return (event.data as unknown as InterruptEventData).status;
}

/** Returns the changed task of a task event. */
export function readTaskUpdate(event: BusEvent): TaskUpdate {
	return event.data as unknown as TaskUpdate;
}

/** Returns the chunk of an output event. Its pooled text may be released and reused, unless `retainOutputText` has copied the text. */
export function readOutputChunk(event: BusEvent): OutputChunk {
	return copiedChunks.get(event) ?? (event.data as unknown as OutputEventData).chunk;
}

/**
 * Copies the pooled text of an output event, so that the text lives as long as the event. Does nothing for other events. The filter of a
 * subscription must call this: after the filter, the publisher may release the text.
 */
export function retainOutputText(event: BusEvent): void {
	if (event.name !== eventNames.outputCreate || copiedChunks.get(event) !== undefined) return;
	const chunk = readOutputChunk(event);
	const copy = withOwnedText(chunk);
	if (copy !== chunk) copiedChunks.set(event, copy);
}

/** Returns an announcement as the general stream sends it, and the execution that it describes, if any. */
export function readAnnouncement({ data }: BusEvent): { readonly data: JsonObject; readonly about?: AnnouncementSubject } {
	return data as unknown as { readonly data: JsonObject; readonly about?: AnnouncementSubject };
}
