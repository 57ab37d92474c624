import type { Api } from "../../client/api.ts";
import { delay } from "../../client/delay.ts";
import { isSvcError, type OutputType, SvcError } from "../../contract/index.ts";

/** A piece of output. `event_id` resumes the stream behind this chunk. */
export interface OutputChunkRecord {
	readonly id: string;
	readonly execution_id: string;
	readonly action_ref: string;
	readonly runner_ref: string;
	readonly output_type: OutputType;
	readonly data: string;
	readonly timestamp: string;
	readonly event_id: string;
}

/** Which output is followed, and from where. */
export interface FollowOptions {
	readonly type?: OutputType;
	/** Begin behind the chunk with this `event_id`. Default: from the first. */
	readonly after?: string;
	/** Ends the iteration without an error. */
	readonly signal?: AbortSignal;
	/** Told when a connection is there, the first one and each later one. */
	readonly onOpen?: () => void;
	/** Told when the connection was lost and is being opened again. */
	readonly onReconnect?: (error: SvcError) => void;
}

const attempts = 8;

/**
 * Every chunk of an execution's output once and in order, until the execution has ended. A connection that is lost is opened
 * again behind the last chunk; after several failures in a row the last one is thrown. A first connection that fails is
 * thrown at once.
 */
export async function* followOutput(
	{ addresses, events }: Pick<Api, "addresses" | "events">,
	id: string,
	options: FollowOptions,
): AsyncGenerator<OutputChunkRecord> {
	const path = `/executions/${encodeURIComponent(id)}/output`;
	let after = options.after ?? "";
	let connected = false;
	for (let failures = 0; ; ) {
		try {
			const query = options.type === undefined ? {} : { output_type: options.type };
			const resume: Record<string, string> = after === "" ? {} : { "last-event-id": after };
			const source = events(path, { query, headers: resume, signal: options.signal }, () => {
				connected = true;
				options.onOpen?.();
			});
			for await (const event of source) {
				if (event.name === "EOF") return;
				if (event.id !== "") after = event.id;
				failures = 0;
				yield { ...(JSON.parse(event.data) as Omit<OutputChunkRecord, "event_id">), event_id: event.id };
			}
			throw new SvcError(
				"SVC_UNAVAILABLE",
				`the service at ${new URL(addresses.streamUrl).origin} closed the output stream before its end`,
			);
		} catch (error) {
			if (options.signal?.aborted) return;
			failures += 1;
			if (!isSvcError(error, "SVC_UNAVAILABLE") || !connected || failures > attempts) throw error;
			options.onReconnect?.(error);
			await delay(Math.min(100 * 2 ** failures, 5_000), options.signal);
		}
	}
}
