import type { Broadcast, BroadcastReader } from "./sse-fan-out.ts";

/** What a broadcast is made from. */
export interface BroadcastSource {
	/** What has come of each event, in order; nothing of those that nobody is to see. Ends with the signal that it was opened with. */
	readonly frames: AsyncIterable<readonly Uint8Array[]>;
	/** How many elements `frames` has had so far, read or not. */
	published(): number;
}

/** Reads a source into its broadcast, as long as that has readers. */
export class Feed {
	readonly #broadcast: Broadcast;
	readonly #onEnd: () => void;
	readonly #over = new AbortController();
	readonly #source: Promise<BroadcastSource>;
	/** Readers that came when there were events on the way that are older than they. */
	#early: { readonly reader: BroadcastReader; readonly after: number }[] = [];
	#read = 0;

	/** @param onEnd called once nobody can join any more; perhaps more than once */
	constructor(open: (signal: AbortSignal) => Promise<BroadcastSource>, broadcast: Broadcast, onEnd: () => void) {
		this.#broadcast = broadcast;
		this.#onEnd = onEnd;
		this.#source = open(this.#over.signal);
		this.#source.then((source) => this.#feed(source)).catch(() => this.stop());
	}

	/** A reader of what is published from now on; undefined once it is over. Throws what opening the source has thrown. */
	async join(): Promise<BroadcastReader | undefined> {
		const source = await this.#source;
		if (this.#over.signal.aborted) return undefined;
		const reader = this.#broadcast.join();
		const after = source.published();
		if (after <= this.#read) this.#broadcast.begin(reader);
		else this.#early.push({ reader, after });
		return reader;
	}

	stop(): void {
		this.#onEnd();
		this.#over.abort();
	}

	async #feed({ frames }: BroadcastSource): Promise<void> {
		let failure: unknown;
		try {
			for await (const some of frames) {
				this.#admit();
				for (const frame of some) this.#broadcast.add(frame);
				this.#read += 1;
			}
		} catch (error) {
			failure = error;
		}
		this.#broadcast.end(failure);
		this.stop();
	}

	#admit(): void {
		const due = this.#early.filter(({ after }) => after <= this.#read);
		if (due.length === 0) return;
		this.#early = this.#early.filter(({ after }) => after > this.#read);
		for (const { reader } of due) this.#broadcast.begin(reader);
	}
}
