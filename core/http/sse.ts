import type { Logger } from "../contract/index.ts";
import { isSvcError } from "../contract/index.ts";
import type { HttpMetrics } from "./http-metrics.ts";
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
	readonly metrics: Pick<HttpMetrics, "sent" | "tooSlow">;
}

const encoder = new TextEncoder();
/** A comment and a blank line: parsers skip it, proxies and clients see that the stream lives. */
const heartbeatBytes = encoder.encode(":\n\n");

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
 * not read. Starts with a heartbeat, so that the client sees the headers at once.
 */
export function toEventStream(
	events: AsyncIterable<ServerSentEvent | Uint8Array>,
	options: EventStreamOptions,
): ReadableStream<Uint8Array> {
	return new ReadableStream<Uint8Array>(new EventPull(events[Symbol.asyncIterator](), options), { highWaterMark: 0 });
}

/** Where the bytes of an event stream come from. */
class EventPull {
	readonly #iterator: AsyncIterator<ServerSentEvent | Uint8Array>;
	readonly #options: EventStreamOptions;
	#timer: NodeJS.Timeout | undefined;
	/** Whether the client has taken everything and waits. */
	#isWaiting = false;

	constructor(iterator: AsyncIterator<ServerSentEvent | Uint8Array>, options: EventStreamOptions) {
		this.#iterator = iterator;
		this.#options = options;
	}

	start(controller: ReadableStreamDefaultController<Uint8Array>): void {
		controller.enqueue(heartbeatBytes);
		const { signal, heartbeat } = this.#options;
		const onAbort = () => {
			// At once, whether or not the client reads: it comes back, and is told whether it still may.
			if (signal.reason instanceof StreamEnded) {
				controller.enqueue(encoder.encode(`: ${signal.reason.message}\n\n`));
				controller.close();
				leave(this.#iterator);
			}
			this.#end();
		};
		if (signal.aborted) return onAbort();
		signal.addEventListener("abort", onAbort, { once: true });
		this.#timer = setInterval(() => {
			// A client that does not read needs no sign of life.
			if (this.#isWaiting && controller.desiredSize === 0) controller.enqueue(heartbeatBytes);
		}, heartbeat * 1000);
	}

	async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
		try {
			this.#isWaiting = true;
			const { done, value } = await this.#iterator.next();
			this.#isWaiting = false;
			if (!done) {
				this.#timer?.refresh();
				const bytes = value instanceof Uint8Array ? value : toFrameBytes(value);
				controller.enqueue(bytes);
				this.#options.metrics.sent(bytes);
				return;
			}
		} catch (error) {
			logEnd(error, this.#options);
		}
		this.#end();
		close(controller);
	}

	cancel(): void {
		this.#end();
		leave(this.#iterator);
	}

	#end(): void {
		clearInterval(this.#timer);
		this.#options.onEnd();
	}
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

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
	try {
		controller.close();
	} catch {
		// The client has canceled the stream meanwhile.
	}
}
