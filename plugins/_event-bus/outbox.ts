import type { BusEvent } from "../../core/contract/index.ts";
import { formatEvent, headerBytes, type Packet } from "./packet.ts";
import { toLane } from "./partitions.ts";

export interface OutboxOptions {
	readonly sender: string;
	readonly lanes: number;
	/** Target size of a packet in bytes. A larger event gets its own packet. */
	readonly capacity: number;
	/** Called with the number of events that will not be sent to other nodes, and the reason. */
	readonly onDrop: (count: number, reason: string) => void;
}

interface Entry {
	readonly lane: number;
	/** Serialized event; undefined if it was dropped, so that receivers detect a gap. */
	readonly text: string | undefined;
	readonly bytes: number;
}

/** Maximum bytes and events in the queue. If either is exceeded, the older half is dropped. */
const maxBytes = 32 * 1_048_576;
const maxEvents = 20_000;
/** Maximum bytes of an event; a larger event is not sent to other nodes. */
const maxEventBytes = 16 * 1_048_576;
/** Approximate bytes of a batch, which is sent in one round trip. */
const batchBytes = 1_048_576;

/** Bounded queue of events for other nodes. It numbers the packets, and keeps a batch until it has arrived. */
export class Outbox {
	readonly #options: OutboxOptions;
	readonly #sequences: number[];
	#entries: Entry[] = [];
	#bytes = 0;
	#batch: Packet[] | undefined;
	#failures = 0;
	#beatIsDue = false;
	#waiting: (() => void)[] = [];
	#draining: (() => void)[] = [];
	#timer: NodeJS.Immediate | undefined;

	constructor(options: OutboxOptions) {
		this.#options = options;
		this.#sequences = new Array<number>(options.lanes).fill(0);
	}

	/** True if no event is queued or being sent. */
	get isEmpty(): boolean {
		return this.#batch === undefined && this.#entries.length === 0;
	}

	add(event: BusEvent): void {
		const lane = toLane(event.name, this.#options.lanes);
		const text = this.#format(event);
		const bytes = text === undefined ? 0 : Buffer.byteLength(text);
		if (bytes > maxEventBytes) {
			this.#options.onDrop(1, `an event of more than ${maxEventBytes} bytes`);
			this.#push({ lane, text: undefined, bytes: 0 });
		} else this.#push({ lane, text, bytes });
		if (this.#bytes > maxBytes || this.#entries.length > maxEvents) this.#dropOlderHalf();
	}

	/** True if a heartbeat is queued or being sent. */
	get hasBeat(): boolean {
		return this.#beatIsDue || this.#batch?.at(-1)?.kind === "beat";
	}

	/** Adds a heartbeat to the next batch. It contains the last sequence number of each lane. */
	addBeat(): void {
		this.#beatIsDue = true;
		this.#wake();
	}

	/**
	 * Resolves when a packet is available or `signal` aborts. Waits for the next event loop turn, so that events published together share a
	 * packet.
	 */
	async filled(signal: AbortSignal): Promise<void> {
		if (!this.isEmpty || this.#beatIsDue || signal.aborted) return;
		await new Promise<void>((resolve) => {
			const done = () => {
				signal.removeEventListener("abort", done);
				resolve();
			};
			this.#waiting.push(done);
			signal.addEventListener("abort", done, { once: true });
		});
	}

	/** Resolves when no event is queued or being sent. */
	async emptied(): Promise<void> {
		if (!this.isEmpty) await new Promise<void>((resolve) => this.#draining.push(resolve));
	}

	/** Returns the next batch. Returns the same batch until `settle` is called. */
	take(): readonly Packet[] {
		this.#batch ??= this.#pack();
		return this.#batch;
	}

	/**
	 * Removes the current batch after it has arrived, or to discard it. Receivers detect discarded packets by the gap in the sequence numbers.
	 */
	settle(): void {
		this.#batch = undefined;
		this.#failures = 0;
		if (this.isEmpty) for (const resolve of this.#draining.splice(0)) resolve();
	}

	/** Records that sending the current batch failed. Returns the number of its failures. */
	fail(): number {
		this.#failures += 1;
		return this.#failures;
	}

	/** Discards all queued events. */
	stop(): void {
		clearImmediate(this.#timer);
		this.#entries = [];
		this.settle();
	}

	#format(event: BusEvent): string | undefined {
		try {
			return formatEvent(event);
		} catch {
			this.#options.onDrop(1, `the data of "${event.name}" is not JSON`);
			return undefined;
		}
	}

	#push(entry: Entry): void {
		this.#entries.push(entry);
		this.#bytes += entry.bytes;
		this.#wake();
	}

	#wake(): void {
		if (this.#waiting.length === 0 || this.#timer !== undefined) return;
		this.#timer = setImmediate(() => {
			this.#timer = undefined;
			for (const done of this.#waiting.splice(0)) done();
		});
	}

	#dropOlderHalf(): void {
		const dropped = this.#entries.splice(0, Math.ceil(this.#entries.length / 2));
		for (const { bytes } of dropped) this.#bytes -= bytes;
		// Skip a sequence number in each affected lane, before the remaining events, so that receivers detect the loss.
		for (const lane of new Set(dropped.map((entry) => entry.lane))) this.#skip(lane);
		this.#options.onDrop(dropped.filter(({ text }) => text !== undefined).length, "too many events are waiting to be sent");
	}

	#skip(lane: number): number {
		const sequence = (this.#sequences[lane] ?? 0) + 1;
		this.#sequences[lane] = sequence;
		return sequence;
	}

	/** Packs consecutive events of the same lane into one packet. The order of the events does not change. */
	#pack(): Packet[] {
		const packets: Packet[] = [];
		let taken = 0;
		let bytes = 0;
		while (taken < this.#entries.length && bytes < batchBytes) {
			const { lane, count, body, size } = this.#gather(taken);
			taken += count;
			bytes += size;
			const sequence = this.#skip(lane);
			if (body !== undefined) packets.push({ kind: "events", sender: this.#options.sender, lane, sequence, body });
		}
		this.#entries.splice(0, taken);
		this.#bytes -= bytes;
		if (this.#beatIsDue) packets.push(this.#toBeat());
		this.#beatIsDue = false;
		return packets;
	}

	#gather(start: number) {
		const first = this.#entries[start] as Entry;
		const { lane } = first;
		if (first.text === undefined) return { lane, count: 1, body: undefined, size: 0 };
		const texts: string[] = [];
		let size = 0;
		for (let index = start; index < this.#entries.length; index += 1) {
			const { lane: ownLane, text, bytes } = this.#entries[index] as Entry;
			if (ownLane !== lane || text === undefined) break;
			if (size > 0 && size + bytes + headerBytes > this.#options.capacity) break;
			texts.push(text);
			size += bytes;
		}
		return { lane, count: texts.length, body: texts.join(""), size };
	}

	#toBeat(): Packet {
		const reached = Object.fromEntries([...this.#sequences.entries()].filter(([, sequence]) => sequence > 0));
		return { kind: "beat", sender: this.#options.sender, lane: 0, sequence: 0, body: JSON.stringify(reached) };
	}
}
