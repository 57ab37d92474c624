import {
	type BusEvent,
	type EventBus,
	type ExecutionEntity,
	isSvcError,
	type OutputChunkEntity,
	type OutputType,
	type Storage,
	SvcError,
} from "../../contract/index.ts";
import { eventNames, toEventChunk, toEventEntity, toExecutionId } from "../executions/execution-events.ts";
import type { Output, OutputChunk } from "../executions/executions-api.ts";
import { isCompleted } from "../executions/status.ts";
import { maskRanges } from "../secrets/ranges.ts";
import { readStoredChunks } from "./stored-chunks.ts";

interface Parts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
}

/** Events a follower holds while its reader is busy; beyond it the follower reads from storage instead of from memory. */
const followBuffer = 64;
/** A follower looks into storage at least this often, in case the bus lost something. */
const followPoll = 5_000;

/** Output as it has been recorded, and as it goes on being recorded. */
export class RecordedOutput implements Output {
	readonly #parts: Parts;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	async *read(
		executionId: string,
		{ type, signal, masked = false }: { readonly type?: OutputType; readonly signal?: AbortSignal; readonly masked?: boolean },
	): AsyncGenerator<string> {
		for await (const chunk of readStoredChunks(this.#parts.storage, executionId, type === undefined ? {} : { type })) {
			if (signal?.aborted) return;
			yield masked ? toMaskedText(chunk) : chunk.data;
		}
	}

	/**
	 * The order of the first three steps is what makes it free of gaps and repeats: subscribe, read the status, read what is
	 * stored. A chunk is stored before it is published and before the status becomes final.
	 */
	async *follow(
		executionId: string,
		{ type, after = 0, signal }: { readonly type?: OutputType; readonly after?: number; readonly signal: AbortSignal },
	): AsyncGenerator<OutputChunk> {
		let last = after;
		while (!signal.aborted) {
			const subscription = new AbortController();
			const stop = () => subscription.abort();
			signal.addEventListener("abort", stop, { once: true });
			try {
				const events = await this.#subscribe(executionId, subscription.signal);
				const entity = await this.#readExecution(executionId);
				const refs = { action_ref: entity.action_ref, runner_ref: entity.runner_name };
				for await (const chunk of readStoredChunks(this.#parts.storage, executionId, { after: last })) {
					if (signal.aborted) return;
					last = chunk.sequence;
					if (type === undefined || chunk.output_type === type) yield { ...chunk, ...refs };
				}
				if (isCompleted(entity.status)) return;
				for await (const event of withPoll(events, followPoll)) {
					// Anything but the very next chunk (a gap, the end, a poll) is settled by going round once more.
					if (event === undefined) break;
					if (event.name === eventNames.executionUpdate) {
						if (isCompleted(toEventEntity(event).status)) break;
						continue;
					}
					const chunk = toEventChunk(event);
					if (chunk.sequence <= last) continue;
					if (chunk.sequence > last + 1) break;
					last = chunk.sequence;
					if (type === undefined || chunk.output_type === type) yield chunk;
				}
			} catch (error) {
				if (!isSvcError(error, "SVC_SUBSCRIBER_LAGGED")) throw error;
			} finally {
				signal.removeEventListener("abort", stop);
				subscription.abort();
			}
		}
	}

	#subscribe(executionId: string, signal: AbortSignal): Promise<AsyncIterable<BusEvent>> {
		return this.#parts.eventBus.subscribe([eventNames.outputCreate, eventNames.executionUpdate], {
			signal,
			filter: (event) => toExecutionId(event) === executionId,
			buffer: followBuffer,
		});
	}

	async #readExecution(executionId: string): Promise<ExecutionEntity> {
		const entity = await this.#parts.storage.get("execution", executionId);
		if (entity === undefined) throw new SvcError("SVC_NOT_FOUND", `execution "${executionId}" cannot be found`);
		return entity;
	}
}

/** The text of a chunk without the secrets that were known when it was recorded. */
export function toMaskedText({ data, secret_spans }: Pick<OutputChunkEntity, "data" | "secret_spans">): string {
	return secret_spans ? maskRanges(data, secret_spans) : data;
}

/** The values of `source`, and undefined whenever `milliseconds` pass without one. */
async function* withPoll<T>(source: AsyncIterable<T>, milliseconds: number): AsyncGenerator<T | undefined> {
	const iterator = source[Symbol.asyncIterator]();
	let next = iterator.next();
	try {
		for (;;) {
			let timer: NodeJS.Timeout | undefined;
			const tick = new Promise<"tick">((resolve) => {
				timer = setTimeout(resolve, milliseconds, "tick");
			});
			const winner = await Promise.race([next, tick]);
			clearTimeout(timer);
			if (winner === "tick") {
				yield undefined;
				continue;
			}
			if (winner.done) return;
			next = iterator.next();
			yield winner.value;
		}
	} finally {
		// A reading that nobody waits for any more may still fail; that is of no interest then.
		next.catch(() => undefined);
		void iterator.return?.();
	}
}
