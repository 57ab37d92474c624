import type { Span } from "../../core/contract/index.ts";
import type { SpanBatch } from "./span-batch.ts";

export interface SpanQueueOptions {
	/** Maximum number of waiting spans. */
	readonly limit: number;
	readonly createBatch: () => SpanBatch;
	/** Sends a batch; rejects if that fails. */
	readonly send: (batch: SpanBatch) => Promise<void>;
	/** Called with the number of lost spans. */
	readonly onDropped: (spans: number, error?: unknown) => void;
}

/** Milliseconds for which spans are collected before they are sent. A request costs as much processor time as a hundred spans. */
const pause = 2_000;
/** Number of spans in a full batch, which is sent without further delay. */
const together = 512;

/**
 * Queues spans and sends them in batches, one request at a time. Memory holds at most `limit` waiting spans and the batch that is being
 * sent.
 */
export class SpanQueue {
	readonly #parts: SpanQueueOptions;
	/** Full batches, followed by the one that is being filled. */
	#batches: SpanBatch[] = [];
	#last: SpanBatch | undefined;
	#waiting = 0;
	#timer: NodeJS.Timeout | undefined;
	#sending: Promise<void> | undefined;

	constructor(parts: SpanQueueOptions) {
		this.#parts = parts;
	}

	add(span: Span): void {
		const { limit, onDropped } = this.#parts;
		if (this.#waiting >= limit) return onDropped(1);
		this.#waiting += 1;
		this.#room().add(span);
		if (this.#waiting >= Math.min(together, limit) && this.#sending === undefined) void this.flush();
		else this.#plan();
	}

	/** Sends all waiting spans. Never rejects. */
	async flush(): Promise<void> {
		clearTimeout(this.#timer);
		await (this.#sending ??= this.#sendAll().finally(() => {
			this.#sending = undefined;
			this.#timer = undefined;
			if (this.#waiting > 0) this.#plan();
		}));
	}

	#room(): SpanBatch {
		if (this.#last !== undefined && this.#last.size < together) return this.#last;
		this.#last = this.#parts.createBatch();
		this.#batches.push(this.#last);
		return this.#last;
	}

	#plan(): void {
		this.#timer ??= setTimeout(() => void this.flush(), pause).unref();
	}

	async #sendAll(): Promise<void> {
		for (let batch = this.#take(); batch !== undefined; batch = this.#take()) {
			try {
				await this.#parts.send(batch);
			} catch (error) {
				this.#parts.onDropped(batch.size, error);
			}
		}
	}

	#take(): SpanBatch | undefined {
		const batch = this.#batches.shift();
		if (batch === undefined) return undefined;
		if (batch === this.#last) this.#last = undefined;
		this.#waiting -= batch.size;
		return batch;
	}
}
