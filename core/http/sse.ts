import { isSvcError, type Logger } from "../contract/index.ts";
import type { HttpMetrics } from "./http-metrics.ts";
import { toJsonText } from "./json-cache.ts";
import { SseBody, type SseBodyOptions } from "./sse-body.ts";
import { StreamUnauthorizedError } from "./stream-authorization.ts";

export interface ServerSentEvent {
	readonly event: string;
	/** Sent as one line of JSON; undefined sends an empty data line. */
	readonly data: unknown;
	readonly id?: string | number;
}

export interface EventStreamOptions extends Omit<SseBodyOptions, "onFailure"> {
	readonly logger: Logger;
	readonly metrics: Pick<HttpMetrics, "recordStreamPiece" | "recordSlowClient">;
}

const encoder = new TextEncoder();

export const eventStreamHeaders: Readonly<Record<string, string>> = {
	"cache-control": "no-cache",
	"x-accel-buffering": "no",
};
export const eventStreamType = "text/event-stream; charset=UTF-8";

/** Returns the bytes of an event, which several clients can share. */
export function toEventBytes(event: ServerSentEvent): Uint8Array {
	return encoder.encode(toEventText(event));
}

/** Returns an event in the format of the event stream. */
export function toEventText({ event, data, id }: ServerSentEvent): string {
	const idLine = id === undefined ? "" : `id: ${id}\n`;
	return `${idLine}event: ${event}\ndata:${data === undefined ? "" : ` ${toJsonText(data)}`}\n\n`;
}

/**
 * Returns a response body with events, which may already be encoded. Reads `events` at the speed of the client: nothing is read while the
 * client does not read.
 */
export function toEventStream(
	events: AsyncIterable<ServerSentEvent | Uint8Array>,
	options: EventStreamOptions,
): ReadableStream<Uint8Array> {
	const iterator = events[Symbol.asyncIterator]();
	const { metrics } = options;
	const toBytes = ({ done, value }: IteratorResult<ServerSentEvent | Uint8Array, unknown>): IteratorResult<Uint8Array, unknown> => {
		if (done === true) return { done, value };
		const bytes = value instanceof Uint8Array ? value : toEventBytes(value);
		metrics.recordStreamPiece(bytes);
		return { done: false, value: bytes };
	};
	const source: AsyncIterator<Uint8Array> = {
		next: () => iterator.next().then(toBytes),
		return: async () => {
			await iterator.return?.();
			return { done: true, value: undefined };
		},
	};
	return new SseBody(source, { ...options, onFailure: (error) => logEnd(error, options) });
}

/**
 * Returns a response body with text that is read at the speed of the client. An error, or the loss of the caller's credential,
 * closes the connection, so that the client notices that the text is incomplete.
 */
export function toTextStream(
	pieces: AsyncIterable<string>,
	{ signal, onEnd }: Pick<EventStreamOptions, "signal" | "onEnd">,
): ReadableStream<Uint8Array> {
	const iterator = pieces[Symbol.asyncIterator]();
	return new ReadableStream<Uint8Array>({
		start(controller) {
			const onAbort = () => {
				if (!(signal.reason instanceof StreamUnauthorizedError)) return;
				controller.error(signal.reason);
				endSource(iterator);
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
			endSource(iterator);
		},
	});
}

/** Closes the source, from which nothing more is read. Errors of the source are ignored, because the client has disconnected. */
function endSource(iterator: AsyncIterator<unknown>): void {
	void iterator.return?.().catch(() => {});
}

/**
 * Logs why the source has failed, unless the stream was ended on purpose. Clients get no end event, which means that they must reconnect.
 * Either the client was too slow, or the event bus may have missed events.
 */
function logEnd(error: unknown, { logger, signal, metrics }: EventStreamOptions): void {
	if (signal.aborted) return;
	const isSlow = isSvcError(error, "SVC_SUBSCRIBER_LAGGED");
	if (isSlow) metrics.recordSlowClient();
	if (isSlow) logger.info("event stream ended; events may be missing", { reason: error.message });
	else logger.error("event stream failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}
