import { type BusEvent, isSvcError, SvcError } from "../../../contract/index.ts";
import type { Uses } from "../../basics/engine-parts.ts";
import { eventNames, readExecutionId } from "../../executions/execution-events.ts";
import type { OutputChunk, OutputFollower } from "../../executions/executions-api.ts";
import { isCompleted } from "../../executions/status.ts";
import { readStoredChunks } from "../stored-chunk-queries.ts";
import type { FollowerOptions } from "./hub-follower.ts";

const endResult = { done: true, value: undefined } as const;

/**
 * Reference implementation of a follower, without cache and pacing: subscribes, then repeats to read the status, then the stored chunks,
 * and waits for an event or 5 s.
 */
export class PlainFollower implements OutputFollower {
	readonly isOnlySubscriber = false;
	readonly #over = new AbortController();
	readonly #chunks: AsyncGenerator<OutputChunk, undefined>;

	constructor(parts: Uses<"storage" | "eventBus">, executionId: string, { type, after = 0, signal }: FollowerOptions) {
		const over = AbortSignal.any([signal, this.#over.signal]);
		this.#chunks = readChunks(parts, executionId, { ...(type !== undefined && { type }), after, signal: over });
	}

	next(): Promise<IteratorResult<OutputChunk, undefined>> {
		return this.#chunks.next();
	}

	async return(): Promise<IteratorResult<OutputChunk, undefined>> {
		this.#over.abort();
		return endResult;
	}

	takeCached(): undefined {
		return undefined;
	}

	[Symbol.asyncIterator](): this {
		return this;
	}
}

async function* readChunks(
	{ storage, eventBus }: Uses<"storage" | "eventBus">,
	executionId: string,
	{ type, after, signal }: FollowerOptions & { readonly after: number },
): AsyncGenerator<OutputChunk, undefined> {
	let hasNews = false;
	let wake = () => {};
	const notify = () => {
		hasNews = true;
		wake();
	};
	let failure: { readonly error: unknown } | undefined;
	// Nothing is taken from the subscription: each event only causes another read.
	const filter = (event: BusEvent) => {
		if (readExecutionId(event) === executionId) notify();
		return false;
	};
	const subscribe = () => eventBus.subscribe([eventNames.outputCreate, eventNames.executionUpdate], { signal, filter });
	const watch = async (first: AsyncIterable<BusEvent>) => {
		for (let events = first; !signal.aborted; events = await subscribe()) {
			await drain(events).catch((error: unknown) => {
				if (!isSvcError(error, "SVC_SUBSCRIBER_LAGGED")) throw error;
			});
			notify();
		}
	};
	watch(await subscribe()).catch((error: unknown) => {
		failure = { error };
		notify();
	});
	signal.addEventListener("abort", notify, { once: true });
	for (let last = after; !signal.aborted; ) {
		hasNews = false;
		const [execution] = await storage.find("execution", {
			where: { id: executionId },
			fields: ["status", "action_ref", "runner_name"],
		});
		if (execution === undefined) throw new SvcError("SVC_NOT_FOUND", `execution "${executionId}" cannot be found`);
		for await (const chunk of readStoredChunks(storage, executionId, { after: last, ...(type !== undefined && { type }) })) {
			if (signal.aborted) return;
			last = chunk.sequence;
			yield { ...chunk, action_ref: execution.action_ref, runner_ref: execution.runner_name };
		}
		if (isCompleted(execution.status)) return;
		if (failure !== undefined) throw failure.error;
		if (hasNews) continue;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, 5_000);
			wake = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}
}

async function drain(events: AsyncIterable<BusEvent>): Promise<void> {
	for await (const _ of events);
}
