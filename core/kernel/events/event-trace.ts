import { type Storage, SvcError, type TraceEntity } from "../../contract/index.ts";
import { toKeptTraceparent } from "../../lib/traceparent.ts";
import { isId } from "../basics/ids.ts";
import type { CausingExecution, Dispatch } from "./event-dispatcher-api.ts";

/** Where an event belongs: its trace, and how far it is from the event that began the cascade. */
export interface EventPlace {
	readonly traceId: string;
	/** The trace, when it is a new one. */
	readonly insert: TraceEntity | undefined;
	readonly depth: number;
}

const causingFields = ["id", "trace_id", "parent_id", "trigger_instance_id"] as const;
/** Generations of parents that are looked through for the rule that began them. */
const maximumGenerations = 100;

/** Choose the trace of an event (reference 3.3; decisions 18): a given id, a new one for a tag, its cause's, or a new one. */
export async function placeEvent(
	storage: Storage,
	{ trace = {}, causedBy }: Dispatch,
	fresh: { readonly instanceId: string; readonly traceId: string; readonly timestamp: string },
): Promise<EventPlace> {
	const cause = causedBy && (causedBy.execution ?? (await readExecution(storage, causedBy.executionId)));
	if (causedBy !== undefined && cause === undefined) {
		throw new SvcError("SVC_INVALID", `execution "${causedBy.executionId}" cannot be found, which is said to have caused an event`);
	}
	const depth = cause === undefined ? 0 : await depthOf(storage, cause);
	const { id_: id, trace_tag: tag } = trace;
	if (id !== undefined && id !== "") {
		if (!isId(id) || (await storage.get("trace", id)) === undefined) throw new SvcError("SVC_INVALID", `trace "${id}" does not exist`);
		return { traceId: id, insert: undefined, depth };
	}
	const isTagged = tag !== undefined && tag !== "";
	if (cause !== undefined && !isTagged) return { traceId: cause.trace_id, insert: undefined, depth };
	const insert = {
		id: fresh.traceId,
		trace_tag: isTagged ? tag : `trigger_instance-${fresh.instanceId}`,
		start_timestamp: fresh.timestamp,
		traceparent: toKeptTraceparent(trace.traceparent),
	};
	return { traceId: insert.id, insert, depth };
}

/** One more than that of the event whose rule started the execution or one of its parents; 0 when no rule did. */
async function depthOf(storage: Storage, execution: CausingExecution): Promise<number> {
	let current: CausingExecution | undefined = execution;
	for (let generation = 0; current !== undefined && generation < maximumGenerations; generation += 1) {
		if (current.trigger_instance_id !== null) {
			const [instance] = await storage.find("trigger_instance", { where: { id: current.trigger_instance_id }, fields: ["depth"] });
			return (instance?.depth ?? 0) + 1;
		}
		current = current.parent_id === null ? undefined : await readExecution(storage, current.parent_id);
	}
	return 0;
}

async function readExecution(storage: Storage, id: string): Promise<CausingExecution | undefined> {
	const [found] = await storage.find("execution", { where: { id }, fields: causingFields });
	return found;
}
