import { type ExecutionEntity, isJsonObject, type JsonObject, type JsonValue, SvcError, type TraceEntity } from "../../contract/index.ts";
import { normalizeTraceparent } from "../../lib/traceparent.ts";
import type { Uses } from "../basics/engine-parts.ts";
import { createId, isId } from "../basics/ids.ts";
import { assertVisibleName } from "../basics/names.ts";

/** The trace of a new execution. */
interface TraceChoice {
	readonly trace_id: string;
	/** The trace record to insert; undefined if the trace exists. */
	readonly insert: TraceEntity | undefined;
}

/** Sources of the trace of an execution besides its context. */
interface TraceSources {
	/** Rule or parent run that starts the execution. Its trace takes precedence over the context. */
	readonly cause: Pick<ExecutionEntity, "trace_id"> | undefined;
	/** `traceparent` header of the request. An invalid value is ignored. */
	readonly traceparent: string | undefined;
}

/**
 * Returns the trace of a drafted execution. If its context has a trace id, returns that trace; throws `SVC_INVALID` if it does not exist.
 * If the context has only a tag, opens a new trace. A child joins the trace of its parent. Any other execution opens a trace of its own.
 */
export async function chooseTrace(
	{ storage, clock }: Uses<"storage" | "clock">,
	{ context, liveaction_id, start_timestamp }: ExecutionEntity,
	{ cause, traceparent }: TraceSources,
): Promise<TraceChoice> {
	if (cause !== undefined) return { trace_id: cause.trace_id, insert: undefined };
	const { id, tag } = readTraceContext(context["trace_context"]);
	if (id !== undefined) {
		if (!isId(id) || (await storage.get("trace", id)) === undefined) {
			throw new SvcError("SVC_INVALID", `context.trace_context.id_: trace "${id}" does not exist`);
		}
		return { trace_id: id, insert: undefined };
	}
	const parentId = readParentId(context);
	if (tag === undefined && parentId !== undefined) {
		const [parent] = await storage.find("execution", { where: { id: parentId }, fields: ["trace_id"] });
		if (parent === undefined) throw new SvcError("SVC_INVALID", `context.parent.execution_id: execution "${parentId}" does not exist`);
		return { trace_id: parent.trace_id, insert: undefined };
	}
	const trace = {
		id: createId(clock),
		trace_tag: tag ?? `execution-${liveaction_id}`,
		start_timestamp,
		traceparent: normalizeTraceparent(traceparent),
	};
	return { trace_id: trace.id, insert: trace };
}

/**
 * Returns the id of the parent execution that a context names; undefined if it names none. Throws `SVC_INVALID` if the member is
 * malformed.
 */
export function readParentId(context: JsonObject): string | undefined {
	const parent = context["parent"];
	if (parent === undefined || parent === null) return undefined;
	const id = isJsonObject(parent) ? parent["execution_id"] : undefined;
	if (typeof id !== "string") throw new SvcError("SVC_INVALID", "context.parent: must be an object with the string execution_id");
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
	if (tag === null && !id) throw new SvcError("SVC_INVALID", "context.trace_context.trace_tag: must be a string, got null");
	if (id === null && tag === undefined) {
		throw new SvcError("SVC_INVALID", "context.trace_context: id_ or trace_tag is required");
	}
	if (id !== undefined && id !== null && typeof id !== "string")
		throw new SvcError("SVC_INVALID", "context.trace_context.id_: must be a string");
	if (tag !== undefined && tag !== null && typeof tag !== "string") {
		throw new SvcError("SVC_INVALID", "context.trace_context.trace_tag: must be a string");
	}
	if (typeof tag === "string") assertVisibleName("context.trace_context.trace_tag", tag);
	return { ...(typeof id === "string" && id !== "" && { id }), ...(typeof tag === "string" && tag !== "" && { tag }) };
}
