import {
	type AnnouncedExecution,
	type BusEvent,
	type EventBus,
	type ExecutionEntity,
	type ExecutionStatus,
	type JsonObject,
	SvcError,
} from "../../contract/index.ts";
import { withOwnText } from "../../lib/bytes/pooled-text.ts";
import { Attached } from "../../lib/private-slot.ts";
import type { OutputChunk } from "./executions-api.ts";

/** Bus event names; those but the last two are names on the general stream as well. */
export const eventNames = {
	executionCreate: "svc.execution__create",
	executionUpdate: "svc.execution__update",
	outputCreate: "svc.execution.output__create",
	taskUpdate: "svc.task__update",
	pending: "svc.execution__pending",
	runInterrupt: "svc.run__interrupt",
} as const;

/** Names of announcements: this and the route. */
export const announcementPrefix = "svc.announcement__";

interface ExecutionEventData {
	readonly execution_id: string;
	readonly entity: ExecutionEntity;
}

interface InterruptEventData {
	readonly execution_id: string;
	readonly status: ExecutionStatus;
}

/** Of events that tell of text in pages. */
const keptChunks = new Attached<BusEvent, OutputChunk>();

interface OutputEventData {
	readonly execution_id: string;
	readonly chunk: OutputChunk;
}

/** A task that has changed: the members of `TaskState`, and those of the execution that it belongs to. */
export type TaskUpdate = JsonObject & { readonly execution_id: string; readonly action_ref: string; readonly timestamp: string };

export function publishCreated(bus: EventBus, entity: ExecutionEntity): void {
	bus.publish(eventNames.executionCreate, { execution_id: entity.id, entity } satisfies ExecutionEventData);
}

export function publishUpdated(bus: EventBus, entity: ExecutionEntity): void {
	bus.publish(eventNames.executionUpdate, { execution_id: entity.id, entity } satisfies ExecutionEventData);
}

/** Tell the schedulers of all nodes that an execution waits for somebody who goes on with it. */
export function publishReady(bus: EventBus): void {
	bus.publish(eventNames.pending, { node_id: null, delayed: false, ready: true });
}

/**
 * Tell the node that runs an execution, if any does, that it must end or pause: somebody else wants so, or has ended it. Small, for every
 * node that runs something gets it.
 */
export function publishInterrupt(bus: EventBus, { id, status }: ExecutionEntity): void {
	bus.publish(eventNames.runInterrupt, { execution_id: id, status } satisfies InterruptEventData);
}

export function publishOutput(bus: EventBus, chunk: OutputChunk): void {
	bus.publish(eventNames.outputCreate, { execution_id: chunk.execution_id, chunk } satisfies OutputEventData);
}

/** Tell of a task of an execution that is made of tasks. Secrets in it have been masked. */
export function publishTask(
	bus: EventBus,
	{ id, action_ref }: Pick<ExecutionEntity, "id" | "action_ref">,
	{ task, timestamp }: { readonly task: JsonObject; readonly timestamp: string },
): void {
	const told: TaskUpdate = { ...task, execution_id: id, action_ref, timestamp };
	bus.publish(eventNames.taskUpdate, told);
}

/** The content of an announcement. */
interface Announcement {
	readonly payload: JsonObject;
	readonly traceId: string;
	/** The execution that the payload describes. Undefined: all clients that may follow the stream get the announcement. */
	readonly about: AnnouncedExecution | undefined;
}

/** What an action tells everybody who follows the general stream. */
export function publishAnnouncement(bus: EventBus, route: string, { payload, traceId, about }: Announcement): void {
	// Anything else would be a pattern of names, or break a frame of the stream.
	if (!/^[\w.-]{1,255}$/.test(route)) throw new SvcError("SVC_INVALID", "route: must be 1 to 255 letters, digits, dots, - and _");
	const { action_ref, user } = about ?? {};
	bus.publish(announcementPrefix + route, {
		data: { payload, trace_context: { id_: traceId } },
		...(action_ref !== undefined && user !== undefined && { about: { action_ref, user } }),
	});
}

/** The execution an event tells of. */
export function toExecutionId(event: BusEvent): string | undefined {
	return typeof event.data["execution_id"] === "string" ? event.data["execution_id"] : undefined;
}

/** The execution as it was when an event of an execution was published. */
export function toEventEntity(event: BusEvent): ExecutionEntity {
	return (event.data as unknown as ExecutionEventData).entity;
}

/** The status of the execution that an interrupt is about. */
export function toInterruptStatus(event: BusEvent): ExecutionStatus {
	return (event.data as unknown as InterruptEventData).status;
}

/** The task that an event tells of. */
export function toEventTask(event: BusEvent): TaskUpdate {
	return event.data as unknown as TaskUpdate;
}

/** The chunk of an output event, which others may let go of unless `keepOutput` has been called with the event. */
export function toEventChunk(event: BusEvent): OutputChunk {
	return keptChunks.get(event) ?? (event.data as unknown as OutputEventData).chunk;
}

/** Keep the output that an event tells of, as long as the event is there. To be called by a filter, before anybody lets go of it. */
export function keepOutput(event: BusEvent): void {
	if (event.name !== eventNames.outputCreate || keptChunks.get(event) !== undefined) return;
	const chunk = toEventChunk(event);
	const own = withOwnText(chunk);
	if (own !== chunk) keptChunks.set(event, own);
}

/** Returns an announcement as the general stream shows it, and the execution that it describes, if any. */
export function toEventAnnouncement({ data }: BusEvent): { readonly data: JsonObject; readonly about?: AnnouncedExecution } {
	return data as unknown as { readonly data: JsonObject; readonly about?: AnnouncedExecution };
}
