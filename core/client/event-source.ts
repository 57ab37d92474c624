import { createParser } from "eventsource-parser";

export interface SourceEvent {
	readonly name: string;
	readonly data: string;
	/** Last `id:` seen so far; empty while there was none. */
	readonly id: string;
}

export interface ReadOptions {
	/** Called for whatever arrives, comments and heartbeats included. */
	readonly onActivity: () => void;
	/** The one the request was made with: its abort ends the reading with its reason. */
	readonly signal: AbortSignal;
}

/** Events of a `text/event-stream` body. Comments and heartbeats give nothing. */
export async function* readEvents(body: ReadableStream<Uint8Array>, options: ReadOptions): AsyncGenerator<SourceEvent> {
	const events: SourceEvent[] = [];
	let last = "";
	const parser = createParser({
		onEvent({ event = "message", data, id = last }) {
			last = id;
			events.push({ name: event, data, id });
		},
	});
	const decoder = new TextDecoder();
	for await (const piece of readPieces(body, options.signal)) {
		options.onActivity();
		parser.feed(decoder.decode(piece, { stream: true }));
		yield* events.splice(0);
	}
}

/** On Node 20 a reading stays pending for ever when the request is aborted just before the end of its body: it is canceled here. */
async function* readPieces(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
	const reader = body.getReader();
	const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
	signal.addEventListener("abort", cancel, { once: true });
	try {
		for (;;) {
			signal.throwIfAborted();
			const { done, value } = await reader.read();
			if (done) break;
			yield value;
		}
		signal.throwIfAborted();
	} finally {
		signal.removeEventListener("abort", cancel);
		cancel();
	}
}
