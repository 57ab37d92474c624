import { SvcError } from "../../contract/index.ts";
import { answerEvents, answerTooMany } from "../../http/openapi/responses.ts";
import { jsonObject } from "../../http/openapi/schema-builders.ts";
import { secretsQuery, toDefaultVisibility, toRecordVisibility } from "../../http/record-visibility.ts";
import { type Reply, replyContent } from "../../http/replies.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { isResponseSent } from "../../http/server-request.ts";
import { eventStreamHeaders, eventStreamType, type ServerSentEvent, toEventStream } from "../../http/sse.ts";
import type { SseSource } from "../../http/sse-source-reader.ts";
import { toRightsKey } from "../../http/stream-authorization.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import type { OutputChunk } from "../../kernel/executions/executions-api.ts";
import { EventFrameCache } from "./event-frame-cache.ts";
import { parseOutputType } from "./execution-output-routes.ts";
import { findExecutionResource } from "./execution-resource-exports.ts";
import type { ExecutionRouteServices } from "./route-services.ts";
import { outputChunkSchema } from "./schemas-exports.ts";
import { OutputFrames } from "./sse-output-frames.ts";
import type { StreamEvent } from "./stream-events-exports.ts";
import { createStreamFilter, type StreamFilter, streamFilterQuery, toActionRef, toEventFrame } from "./stream-filter.ts";

const { defineRoute } = createRouteDeclarations<ExecutionRouteServices>();

type EventResult = IteratorResult<ServerSentEvent | Uint8Array, undefined>;

const outputExample = `id: 1
event: svc.execution.output__create
data: {"id": "66a1f0c39d3e4b7a51c08d20", "output_type": "stdout", "data": "up 12 days\\n"}

event: EOF
data:
`;
const streamExample = `event: svc.execution__update
data: {"id": "66a1f0c29d3e4b7a51c08d12", "status": "succeeded"}
`;

export const streamRoutes = [
	defineRoute({
		method: "GET",
		path: "/stream",
		component: "stream",
		summary: "Stream events",
		answers: {
			200: answerEvents("Events with these names. The stream stays open unless `end_event` ends it.", jsonObject, streamExample),
			429: answerTooMany,
		},
		isOnApi: true,
		permission: "stream_view",
		query: streamFilterQuery,
		async handler(context) {
			const filter = createStreamFilter(context.query);
			return replyEvents(context, (signal) =>
				context.sseFanOuts.join({ key: toKey(context, filter), open: (over) => openFrames(context, filter, over), signal }),
			);
		},
	}),
	defineRoute({
		method: "GET",
		path: "/executions/:id/output",
		component: "stream",
		summary: "Stream the output of an execution",
		description: "`Last-Event-ID` or `last_event_id` continues the stream after an event.",
		answers: { 200: answerEvents("The chunks of the output, then `EOF`.", outputChunkSchema, outputExample), 429: answerTooMany },
		permission: "execution_view",
		resource: ({ engine, path }) => findExecutionResource(engine, path["id"] ?? ""),
		query: { ...secretsQuery, output_type: "string", last_event_id: "string" },
		async handler(context) {
			const { entity } = await context.engine.executions.get(context.path["id"] ?? "", { fields: ["id"] });
			const after = parseLastEventId(context.request.headers.get("last-event-id") || context.query.last_event_id);
			return replyEvents(context, async (signal) => followOutput(context, entity.id, after, signal));
		},
	}),
];

/** Responds with an event stream that ends when the signal given to `open` aborts. Errors of `open` become normal error responses. */
async function replyEvents(
	context: RouteContext<ExecutionRouteServices>,
	open: (signal: AbortSignal) => Promise<AsyncIterable<ServerSentEvent | Uint8Array>>,
): Promise<Reply> {
	const { signal, done } = context.openStream();
	try {
		const { heartbeat } = context.options.stream;
		const stream = toEventStream(await open(signal), { heartbeatSeconds: heartbeat, signal, onEnd: done, ...context });
		return replyContent(stream, eventStreamType, eventStreamHeaders);
	} catch (error) {
		done();
		throw error;
	}
}

/** Returns the events of an output. Not a generator, because that would create several promises for each line and client. */
function followOutput(
	context: RouteContext<ExecutionRouteServices, typeof secretsQuery & { readonly output_type: "string" }>,
	id: string,
	after: number,
	signal: AbortSignal,
): AsyncIterable<ServerSentEvent | Uint8Array> {
	const { engine, query } = context;
	const type = parseOutputType(query.output_type);
	const chunks = engine.output.followShared(id, { ...(type !== undefined && { type }), after, signal });
	const frames = new OutputFrames(toRecordVisibility(context), () => isResponseSent(context.request));
	let isOver = false;
	const takeAtHand = () => chunks.takeCached();
	const toFrame = (chunk: OutputChunk) => (chunks.isOnlySubscriber ? frames.ofSeveral(chunk, takeAtHand) : frames.of(chunk));
	const toEvent = ({ done, value }: IteratorResult<OutputChunk, unknown>): EventResult | Promise<EventResult> => {
		if (done !== true) return { done: false, value: toFrame(value) };
		frames.letGo();
		const isEof = !isOver && !signal.aborted;
		isOver = true;
		return isEof ? { done: false, value: { event: "EOF", data: undefined } } : { done: true, value: undefined };
	};
	const fail = (error: unknown) => {
		frames.letGo();
		throw error;
	};
	const events: AsyncIterator<ServerSentEvent | Uint8Array> = {
		next: () => chunks.next().then(toEvent, fail),
		async return() {
			await chunks.return?.();
			frames.letGo();
			return { done: true, value: undefined };
		},
	};
	return { [Symbol.asyncIterator]: () => events };
}

function parseLastEventId(text: string | undefined): number {
	if (text === undefined) return 0;
	if (!/^\d{1,15}$/.test(text)) throw new SvcError("SVC_INVALID", "last-event-id: must be the id of an event of this stream");
	return Number(text);
}

type Context = RouteContext<ExecutionRouteServices>;

/** Frames of each event, shared by all clients of the general stream. */
const frames = new EventFrameCache<StreamEvent>();

/** Returns the key under which clients with equal rights and queries share a stream. A stream with an end event is not shared. */
function toKey({ principal, query }: Context, { hasEnd }: StreamFilter): unknown {
	return hasEnd ? Symbol("stream with an end") : JSON.stringify([principal.isAdmin ? "admin" : toRightsKey(principal), query]);
}

/** Opens the source of frames for the events that pass the filter and that the client may view. */
async function openFrames(context: Context, filter: StreamFilter, signal: AbortSignal): Promise<SseSource> {
	const { events, published } = await context.engine.events.open(filter.subscriptions, { signal });
	const toFrame = (event: StreamEvent) => frames.of(event, context, (asking) => toEventFrame(asking, event, toDefaultVisibility(asking)));
	const read = async function* () {
		for await (const some of events) {
			const shown: Uint8Array[] = [];
			let isEnd = false;
			for (const event of some) {
				if (isEnd) break;
				if (filter.accepts(event) && mayView(event, context)) {
					const frame = toFrame(event);
					shown.push(frame instanceof Promise ? await frame : frame);
				}
				isEnd = filter.isEnd(event);
			}
			yield shown;
			if (isEnd) return;
		}
	};
	return { eventBatches: read(), publishedCount: published };
}

/**
 * Returns true if the client may view the event. Events of an execution, its output, its tasks and announcements about it
 * require `execution_view`. Announcements about an execution are also sent to the user who started it.
 */
function mayView(event: StreamEvent, { guard, principal }: Context): boolean {
	const about = event.kind === "other" ? event.about : undefined;
	const ref = about?.action_ref ?? toActionRef(event);
	if (about?.user === principal.username) return true;
	return principal.isAdmin || ref === undefined || guard.allows(principal, "execution_view", toActionResource(ref));
}
