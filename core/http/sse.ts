import type { Logger } from "../contract/index.ts";
import { isSvcError } from "../contract/index.ts";
import type { HttpMetrics } from "./http-metrics.ts";
import { toJsonText } from "./json-cache.ts";
import { EventBody } from "./sse-body.ts";
import { StreamEnded } from "./stream-authorization.ts";

/** A server-sent event. */
export interface ServerSentEvent {
	readonly event: string;
	/** Sent as one line of JSON; undefined sends an empty data line. */
	readonly data: unknown;
	readonly id?: string | number;
}

export interface EventStreamOptions {
	/** Seconds. */
	readonly heartbeat: number;
	/** Ends the stream; the source must end with it. */
	readonly signal: AbortSignal;
	/** Called when the stream has ended, whoever ended it; perhaps more than once. */
	readonly onEnd: () => void;
	readonly logger: Logger;
	readonly metrics: Pick<HttpMetrics, "sent" | "tooSlow">;
}

const encoder = new TextEncoder();

export const eventStreamHeaders: Readonly<Record<string, string>> = {
	"cache-control": "no-cache",
	"x-accel-buffering": "no",
};
export const eventStreamType = "text/event-stream; charset=UTF-8";

/** The bytes of an event, where several clients get the same. */
export function toFrameBytes(event: ServerSentEvent): Uint8Array {
	return encoder.encode(toFrame(event));
}

/** The text of an event. */
export function toFrame({ event, data, id }: ServerSentEvent): string {
	const idLine = id === undefined ? "" : `id: ${id}\n`;
	return `${idLine}event: ${event}\ndata:${data === undefined ? "" : ` ${toJsonText(data)}`}\n\n`;
}

/**
 * A stream of events, or of their bytes, that is pulled at the speed of its client: nothing is taken from `events` while the client does
 * not read.
 */
export function toEventStream(
	events: AsyncIterable<ServerSentEvent | Uint8Array>,
	options: EventStreamOptions,
): ReadableStream<Uint8Array> {
	const iterator = events[Symbol.asyncIterator]();
	const { metrics } = options;
	const toBytes = ({ done, value }: IteratorResult<ServerSentEvent | Uint8Array, unknown>): IteratorResult<Uint8Array, unknown> => {
		if (done === true) return { done, value };
		const bytes = value instanceof Uint8Array ? value : toFrameBytes(value);
		metrics.sent(bytes);
		return { done: false, value: bytes };
	};
	const source: AsyncIterator<Uint8Array> = {
		next: () => iterator.next().then(toBytes),
		return: async () => {
			await iterator.return?.();
			return { done: true, value: undefined };
		},
	};
	return new EventBody(source, { ...options, onFailure: (error) => logEnd(error, options) });
}

/** Text pulled at the speed of its client. What cuts it short cuts the connection, so that the client knows it is not whole. */
export function toTextStream(
	pieces: AsyncIterable<string>,
	{ signal, onEnd }: Pick<EventStreamOptions, "signal" | "onEnd">,
): ReadableStream<Uint8Array> {
	const iterator = pieces[Symbol.asyncIterator]();
	return new ReadableStream<Uint8Array>({
		start(controller) {
			const onAbort = () => {
				if (!(signal.reason instanceof StreamEnded)) return;
				controller.error(signal.reason);
				leave(iterator);
				onEnd();
			};
			if (signal.aborted) onAbort();
			else signal.addEventListener("abort", onAbort, { once: true });
		},
		async pull(controller) {
			try {
				const { done, value } = await iterator.next();
				if (!done) return controller.enqueue(encoder.encode(value));
				signal.throwIfAborted();
				controller.close();
			} catch (error) {
				controller.error(error);
			}
			onEnd();
		},
		cancel() {
			onEnd();
			leave(iterator);
		},
	});
}

/** Nothing more is taken from it. */
function leave(iterator: AsyncIterator<unknown>): void {
	void iterator.return?.().catch(() => {});
}

/** Without an end event the client knows that it has to come back: it was too slow, or the event bus may have missed something. */
function logEnd(error: unknown, { logger, signal, metrics }: EventStreamOptions): void {
	if (signal.aborted) return;
	const isSlow = isSvcError(error, "SVC_SUBSCRIBER_LAGGED");
	if (isSlow) metrics.tooSlow();
	if (isSlow) logger.info("event stream ended, events may be missing", { reason: error.message });
	else logger.error("event stream failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}
