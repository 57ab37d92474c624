import { type BusEvent, type EventBus, type ExecutionEntity, type JsonObject, SvcError } from "../contract/index.ts";
import type { OutputChunk } from "./engine-api.ts";

/** Bus event names; they are the names on the general stream as well. */
export const eventNames = {
	executionCreate: "svc.execution__create",
	executionUpdate: "svc.execution__update",
	liveactionCreate: "svc.liveaction__create",
	liveactionUpdate: "svc.liveaction__update",
	outputCreate: "svc.execution.output__create",
} as const;

/** Names of announcements: this and the route. */
export const announcementPrefix = "svc.announcement__";

interface ExecutionEventData {
	readonly execution_id: string;
	readonly entity: ExecutionEntity;
}

interface OutputEventData {
	readonly execution_id: string;
	readonly chunk: OutputChunk;
}

export function publishCreated(bus: EventBus, entity: ExecutionEntity): void {
	const data = { execution_id: entity.id, entity } satisfies ExecutionEventData;
	bus.publish(eventNames.liveactionCreate, data);
	bus.publish(eventNames.executionCreate, data);
}

export function publishUpdated(bus: EventBus, entity: ExecutionEntity): void {
	const data = { execution_id: entity.id, entity } satisfies ExecutionEventData;
	bus.publish(eventNames.liveactionUpdate, data);
	bus.publish(eventNames.executionUpdate, data);
}

export function publishOutput(bus: EventBus, chunk: OutputChunk): void {
	bus.publish(eventNames.outputCreate, { execution_id: chunk.execution_id, chunk } satisfies OutputEventData);
}

/** What an action tells everybody who follows the general stream. */
export function publishAnnouncement(bus: EventBus, route: string, { payload, traceId }: { payload: JsonObject; traceId: string }): void {
	// Anything else would be a pattern of names, or break a frame of the stream.
	if (!/^[\w.-]{1,255}$/.test(route)) throw new SvcError("SVC_INVALID", "route: must be 1 to 255 letters, digits, dots, - and _");
	bus.publish(announcementPrefix + route, { payload, trace_context: { id_: traceId } });
}

/** The execution an event tells of. */
export function toExecutionId(event: BusEvent): string | undefined {
	return typeof event.data["execution_id"] === "string" ? event.data["execution_id"] : undefined;
}

/** The execution as it was when an execution or live action event was published. */
export function toEventEntity(event: BusEvent): ExecutionEntity {
	return (event.data as unknown as ExecutionEventData).entity;
}

/** The chunk of an output event. */
export function toEventChunk(event: BusEvent): OutputChunk {
	return (event.data as unknown as OutputEventData).chunk;
}
