import { isJsonObject, type JsonObject, type JsonValue, type Storage, SvcError, type TraceEntity } from "../../contract/index.ts";
import { normalizeTraceparent } from "../../lib/traceparent.ts";
import { isId } from "../basics/ids.ts";
import { assertVisibleName } from "../basics/names.ts";

/** The trace of a new execution. */
export interface TraceChoice {
	readonly traceId: string;
	/** The trace record to insert; undefined if the trace exists. */
	readonly insert: TraceEntity | undefined;
}

/** Data by which the trace of an execution is selected. */
export interface TraceRequest {
	readonly context: JsonObject;
	readonly liveactionId: string;
	readonly createId: () => string;
	/** Start timestamp of a new trace. */
	readonly timestamp: string;
	/** `traceparent` header of the request. An invalid value is ignored. */
	readonly traceparent?: string | undefined;
}

/**
 * Returns the trace of a new execution. If the request has a trace id, returns that trace; throws `SVC_INVALID` if it does not exist. If it
 * has only a tag, opens a new trace. A child joins the trace of its parent. Any other execution opens a trace of its own.
 */
export async function chooseTrace(storage: Storage, request: TraceRequest): Promise<TraceChoice> {
	const { id, tag } = readTraceContext(request.context["trace_context"]);
	if (id !== undefined) {
		if (!isId(id) || (await storage.get("trace", id)) === undefined) {
			throw new SvcError("SVC_INVALID", `context.trace_context.id_: trace "${id}" does not exist`);
		}
		return { traceId: id, insert: undefined };
	}
	const parentId = readParentId(request.context);
	if (tag === undefined && parentId !== undefined) {
		const [parent] = await storage.find("execution", { where: { id: parentId }, fields: ["trace_id"] });
		if (parent === undefined) throw new SvcError("SVC_INVALID", `context.parent.execution_id: execution "${parentId}" does not exist`);
		return { traceId: parent.trace_id, insert: undefined };
	}
	const trace = {
		id: request.createId(),
		trace_tag: tag ?? `execution-${request.liveactionId}`,
		start_timestamp: request.timestamp,
		traceparent: normalizeTraceparent(request.traceparent),
	};
	return { traceId: trace.id, insert: trace };
}

/**
 * Returns the id of the parent execution that a context names; undefined if it names none. Throws `SVC_INVALID` if the member is
 * malformed.
 */
export function readParentId(context: JsonObject): string | undefined {
	const parent = context["parent"];
	if (parent === undefined || parent === null) return undefined;
	const id = isJsonObject(parent) ? parent["execution_id"] : undefined;
	if (typeof id !== "string") throw new SvcError("SVC_INVALID", "context.parent: must be an object with the text execution_id");
	return id;
}

function readTraceContext(value: JsonValue | undefined): { readonly id?: string; readonly tag?: string } {
	if (value === undefined) return {};
	if (!isJsonObject(value)) throw new SvcError("SVC_INVALID", "context.trace_context: must be an object with id_ or trace_tag");
	const unknownMember = Object.keys(value).find((key) => key !== "id_" && key !== "trace_tag");
	if (unknownMember !== undefined) {
		throw new SvcError("SVC_INVALID", `context.trace_context.${unknownMember}: is not allowed; allowed are id_ and trace_tag`);
	}
	const { id_: id, trace_tag: tag } = value;
	// A null tag is allowed together with an id, because the contexts of executions that a rule started may contain both.
	if (tag === null && !id) throw new SvcError("SVC_INVALID", "context.trace_context.trace_tag: must be a text, got null");
	if (id === null && tag === undefined) {
		throw new SvcError("SVC_INVALID", "context.trace_context: id_ or trace_tag must be given");
	}
	if (id !== undefined && id !== null && typeof id !== "string")
		throw new SvcError("SVC_INVALID", "context.trace_context.id_: must be a text");
	if (tag !== undefined && tag !== null && typeof tag !== "string") {
		throw new SvcError("SVC_INVALID", "context.trace_context.trace_tag: must be a text");
	}
	if (typeof tag === "string") assertVisibleName("context.trace_context.trace_tag", tag);
	return { ...(typeof id === "string" && id !== "" && { id }), ...(typeof tag === "string" && tag !== "" && { tag }) };
}
