import type { ApiClient } from "../../client/api-client.ts";
import { delay } from "../../client/delay.ts";
import { isSvcError, type OutputType, SvcError } from "../../contract/index.ts";

/** An output chunk. `event_id` resumes the stream after this chunk. */
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

/** Options to follow an output. */
export interface FollowOptions {
	readonly type?: OutputType;
	/** `event_id` of the chunk after which to start. Default: start with the first chunk. */
	readonly after?: string;
	/** Ends the iteration without an error when it aborts. */
	readonly signal?: AbortSignal;
	/** Called for each opened connection, including the first one. */
	readonly onOpen?: () => void;
	/** Called before a lost connection is reopened. */
	readonly onReconnect?: (error: SvcError) => void;
}

const attempts = 8;

/**
 * Yields every chunk of an execution's output once and in order, until the execution has ended. A lost connection is reopened after the
 * last chunk. The ninth failure in a row is thrown. If the first connection fails, its error is thrown at once.
 */
export async function* followOutput(
	{ addresses, events }: Pick<ApiClient, "addresses" | "events">,
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
