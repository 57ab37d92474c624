import type { HeldLease } from "./lease.ts";
import type { LeasedKind } from "./lease-renewer.ts";

export interface KeptLeaseParts<K extends LeasedKind> {
	readonly lease: HeldLease<K>;
	/** Milliseconds from one renewal to the next. */
	readonly interval: number;
	/** A renewal has failed; it is tried again. */
	readonly onError: (error: unknown) => void;
}

/** Renews a lease in the background while the work under it lasts. */
export class KeptLease<K extends LeasedKind> {
	readonly #parts: KeptLeaseParts<K>;
	readonly #lost = new AbortController();
	readonly #timer: NodeJS.Timeout;
	#renewing: Promise<void> | undefined;

	constructor(parts: KeptLeaseParts<K>) {
		this.#parts = parts;
		this.#timer = setInterval(() => this.#tick(), parts.interval);
	}

	/** Aborts when the work is somebody else's, or may soon be. */
	get signal(): AbortSignal {
		return this.#lost.signal;
	}

	/** The work has ended; resolves when nothing is written any more. */
	async end(): Promise<void> {
		clearInterval(this.#timer);
		await this.#renewing;
	}

	#tick(): void {
		const renewing = this.#renewing;
		if (renewing === undefined) this.#begin();
		// The answer may never come. After this process stood still it may have come, and be the next to be read.
		else setImmediate(() => this.#renewing === renewing && this.#loseIfOver());
	}

	#begin(): void {
		const renewing = this.#renew().finally(() => {
			if (this.#renewing === renewing) this.#renewing = undefined;
		});
		this.#renewing = renewing;
	}

	async #renew(): Promise<void> {
		const { lease, onError } = this.#parts;
		try {
			if (!(await lease.renew())) this.#lost.abort();
		} catch (error) {
			this.#loseIfOver();
			onError(error);
		}
	}

	#loseIfOver(): void {
		if (this.#parts.lease.hasRunOut()) this.#lost.abort();
	}
}
