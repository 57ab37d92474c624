import type { Logger } from "../contract/index.ts";
import { isSvcError } from "../contract/index.ts";
import { toJsonText } from "./json-text.ts";
import { StreamEnded } from "./stream-watch.ts";

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
}

const encoder = new TextEncoder();
/** A comment and a blank line: parsers skip it, proxies and clients see that the stream lives. */
const heartbeatBytes = encoder.encode(":\n\n");

export const eventStreamHeaders: Readonly<Record<string, string>> = {
	"cache-control": "no-cache",
	"x-accel-buffering": "no",
};
export const eventStreamType = "text/event-stream; charset=UTF-8";

/** The bytes of an event. */
export function toFrame({ event, data, id }: ServerSentEvent): string {
	const idLine = id === undefined ? "" : `id: ${id}\n`;
	return `${idLine}event: ${event}\ndata:${data === undefined ? "" : ` ${toJsonText(data)}`}\n\n`;
}

/**
 * A stream of events that is pulled at the speed of its client: nothing is taken from `events` while the client does not
 * read. Starts with a heartbeat, so that the client sees the headers at once.
 */
export function toEventStream(events: AsyncIterable<ServerSentEvent>, options: EventStreamOptions): ReadableStream<Uint8Array> {
	const iterator = events[Symbol.asyncIterator]();
	const { signal } = options;
	let timer: NodeJS.Timeout | undefined;
	const end = () => {
		clearInterval(timer);
		options.onEnd();
	};
	return new ReadableStream<Uint8Array>({
		start(controller) {
			controller.enqueue(heartbeatBytes);
			const onAbort = () => {
				// At once, whether or not the client reads: it comes back, and is told whether it still may.
				if (signal.reason instanceof StreamEnded) {
					controller.enqueue(encoder.encode(`: ${signal.reason.message}\n\n`));
					controller.close();
					leave(iterator);
				}
				end();
			};
			if (signal.aborted) return onAbort();
			signal.addEventListener("abort", onAbort, { once: true });
			timer = setInterval(() => {
				// A client that does not read needs no sign of life.
				if ((controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeatBytes);
			}, options.heartbeat * 1000);
		},
		async pull(controller) {
			try {
				const { done, value } = await iterator.next();
				if (!done) {
					timer?.refresh();
					controller.enqueue(encoder.encode(toFrame(value)));
					return;
				}
			} catch (error) {
				logEnd(error, options);
			}
			end();
			close(controller);
		},
		cancel() {
			end();
			leave(iterator);
		},
	});
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
function logEnd(error: unknown, { logger, signal }: EventStreamOptions): void {
	if (signal.aborted) return;
	if (isSvcError(error, "SVC_SUBSCRIBER_LAGGED")) logger.info("event stream ended, events may be missing", { reason: error.message });
	else logger.error("event stream failed", { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
	try {
		controller.close();
	} catch {
		// The client has canceled the stream meanwhile.
	}
}
