import { isSvcError } from "../contract/index.ts";
import { readEvents, type SourceEvent } from "./event-source.ts";
import { type RequestOptions, request, toUnreachable } from "./request.ts";

/** The service sends something at least every 15 s; three times that without a byte means that the connection is dead. */
const silence = 45_000;

/** Events of one connection. A break of the connection, or a long silence, is `SVC_UNAVAILABLE`. */
export async function* openEvents(url: string, options: RequestOptions, onOpen?: () => void): AsyncGenerator<SourceEvent> {
	const idle = new AbortController();
	const end = () => idle.abort(new Error("the connection has gone silent"));
	let timer = setTimeout(end, silence);
	// Browsers have no timer that begins anew.
	const onActivity = () => {
		clearTimeout(timer);
		timer = setTimeout(end, silence);
	};
	const signal = options.signal ? AbortSignal.any([options.signal, idle.signal]) : idle.signal;
	try {
		const response = await request(url, { ...options, headers: { accept: "text/event-stream", ...options.headers }, signal });
		onOpen?.();
		if (response.body !== null) yield* readEvents(response.body, { onActivity, signal });
	} catch (error) {
		throw isSvcError(error) || options.signal?.aborted ? error : toUnreachable(url, error);
	} finally {
		clearTimeout(timer);
		// Closes the connection when the reader has left before the end.
		idle.abort();
	}
}
