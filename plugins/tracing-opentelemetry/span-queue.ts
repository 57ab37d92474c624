import type { Span } from "../../core/contract/index.ts";

export interface SpanQueueParts {
	/** Most that wait. */
	readonly limit: number;
	/** Send some; rejects where that failed. */
	readonly send: (spans: readonly Span[]) => Promise<void>;
	/** So many are lost. */
	readonly onDropped: (spans: number, error?: unknown) => void;
}

/** Milliseconds for which spans are gathered before they are sent: a request costs as much as a hundred spans. */
const pause = 2_000;
/** Spans that are sent together, and do not wait any longer once there are so many. */
const together = 512;

/** Holds spans until they are sent: one request at a time, and no more of them in memory than the limit says, however slow the receiver is. */
export class SpanQueue {
	readonly #parts: SpanQueueParts;
	#spans: Span[] = [];
	#timer: NodeJS.Timeout | undefined;
	#sending: Promise<void> | undefined;

	constructor(parts: SpanQueueParts) {
		this.#parts = parts;
	}

	add(span: Span): void {
		if (this.#spans.length >= this.#parts.limit) return this.#parts.onDropped(1);
		this.#spans.push(span);
		if (this.#spans.length >= Math.min(together, this.#parts.limit) && this.#sending === undefined) void this.flush();
		else this.#plan();
	}

	/** Send what waits. Never rejects. */
	async flush(): Promise<void> {
		clearTimeout(this.#timer);
		await (this.#sending ??= this.#sendAll().finally(() => {
			this.#sending = undefined;
			this.#timer = undefined;
			if (this.#spans.length > 0) this.#plan();
		}));
	}

	#plan(): void {
		this.#timer ??= setTimeout(() => void this.flush(), pause).unref();
	}

	async #sendAll(): Promise<void> {
		while (this.#spans.length > 0) {
			const batch = this.#spans.splice(0, together);
			try {
				await this.#parts.send(batch);
			} catch (error) {
				this.#parts.onDropped(batch.length, error);
			}
		}
	}
}
