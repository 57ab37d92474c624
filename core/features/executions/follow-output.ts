import { setTimeout as delay } from "node:timers/promises";
import { readEvents, type SourceEvent } from "../../client/event-source.ts";
import type { OutputChunkRecord } from "../../client/records.ts";
import { type RequestOptions, request, toUnreachable } from "../../client/request.ts";
import { isSvcError, type OutputType, SvcError } from "../../contract/index.ts";

/** Which output is followed, and from where. */
export interface FollowOptions {
	readonly type?: OutputType;
	/** Begin behind the chunk with this `event_id`. Default: from the first. */
	readonly after?: string;
	/** Ends the iteration without an error. */
	readonly signal?: AbortSignal;
	/** Told when the connection was lost and is being opened again. */
	readonly onReconnect?: (error: SvcError) => void;
}

/** The service sends something at least every 15 s; three times that without a byte means that the connection is dead. */
const silence = 45_000;
const attempts = 8;

/**
 * Every chunk of an execution's output once and in order, until the execution has ended. A connection that is lost is opened
 * again behind the last chunk; after several failures in a row the last one is thrown. A first connection that fails is
 * thrown at once.
 */
export async function* followOutput(
	url: string,
	headers: Record<string, string>,
	options: FollowOptions,
): AsyncGenerator<OutputChunkRecord> {
	let after = options.after ?? "";
	let connected = false;
	for (let failures = 0; ; ) {
		try {
			const query = options.type === undefined ? {} : { output_type: options.type };
			const resume: Record<string, string> = after === "" ? {} : { "last-event-id": after };
			const source = openEvents(url, { query, headers: { ...headers, ...resume }, signal: options.signal }, () => {
				connected = true;
			});
			for await (const event of source) {
				if (event.name === "EOF") return;
				if (event.id !== "") after = event.id;
				failures = 0;
				yield { ...(JSON.parse(event.data) as Omit<OutputChunkRecord, "event_id">), event_id: event.id };
			}
			throw new SvcError("SVC_UNAVAILABLE", `the service at ${new URL(url).origin} closed the output stream before its end`);
		} catch (error) {
			if (options.signal?.aborted) return;
			failures += 1;
			if (!isSvcError(error, "SVC_UNAVAILABLE") || !connected || failures > attempts) throw error;
			options.onReconnect?.(error);
			await delay(Math.min(100 * 2 ** failures, 5_000), undefined, options.signal === undefined ? {} : { signal: options.signal }).catch(
				() => undefined,
			);
		}
	}
}

/** Events of one connection. A break of the connection, or a long silence, is `SVC_UNAVAILABLE`. */
export async function* openEvents(url: string, options: RequestOptions, onOpen?: () => void): AsyncGenerator<SourceEvent> {
	const idle = new AbortController();
	const timer = setTimeout(() => idle.abort(new Error("the connection has gone silent")), silence);
	const signal = options.signal ? AbortSignal.any([options.signal, idle.signal]) : idle.signal;
	try {
		const response = await request(url, { ...options, headers: { accept: "text/event-stream", ...options.headers }, signal });
		onOpen?.();
		if (response.body !== null) yield* readEvents(response.body, { onActivity: () => timer.refresh(), signal });
	} catch (error) {
		throw isSvcError(error) || options.signal?.aborted ? error : toUnreachable(url, error);
	} finally {
		clearTimeout(timer);
		// Closes the connection when the reader has left before the end.
		idle.abort();
	}
}
