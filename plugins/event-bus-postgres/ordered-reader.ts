import type { Packet } from "../_event-bus/packet.ts";

export interface OrderedReaderOptions {
	/** Returns the bodies of packets by `<sender> <sequence>`. */
	readonly read: (references: readonly Packet[]) => Promise<ReadonlyMap<string, string>>;
	/** Returns true if a subscriber of this node wants an event of the packet. */
	readonly wants: (reference: Packet) => boolean;
	readonly receive: (packet: Packet) => void;
}

/** Kind of a notification that refers to a packet in the table. */
export const referenceKind = "reference";
/** Maximum number of bodies read with one query. */
const maxAtOnce = 8;
/** Maximum number of packets that wait for the body of an earlier one. */
const maxWaiting = 10_000;

/** Delivers packets in the order of their arrival, although large ones must first be read from the table. */
export class OrderedReader {
	readonly #options: OrderedReaderOptions;
	#waiting: Packet[] = [];
	#isReading = false;

	constructor(options: OrderedReaderOptions) {
		this.#options = options;
	}

	add(packet: Packet): void {
		const isPlain = packet.kind !== referenceKind;
		if (isPlain && !this.#isReading) return this.#options.receive(packet);
		this.#waiting.push(packet);
		// The receiver detects the discarded packets by the gap in the sequence numbers.
		if (this.#waiting.length > maxWaiting) this.#waiting = [];
		if (!this.#isReading) void this.#readAll();
	}

	async #readAll(): Promise<void> {
		this.#isReading = true;
		while (this.#waiting.length > 0) {
			const references = this.#waiting.filter((packet) => packet.kind === referenceKind && this.#options.wants(packet)).slice(0, maxAtOnce);
			const bodies = references.length === 0 ? new Map<string, string>() : await this.#read(references);
			this.#receiveUntil(references.at(-1), bodies);
		}
		this.#isReading = false;
	}

	/** Reads bodies. If that fails, the packets are left out, and the receiver detects the gap in the sequence numbers. */
	async #read(references: readonly Packet[]): Promise<ReadonlyMap<string, string>> {
		try {
			return await this.#options.read(references);
		} catch {
			return new Map();
		}
	}

	#receiveUntil(last: Packet | undefined, bodies: ReadonlyMap<string, string>): void {
		const end = last === undefined ? this.#waiting.length : this.#waiting.indexOf(last) + 1;
		for (const packet of this.#waiting.splice(0, end)) this.#receiveOne(packet, bodies);
	}

	#receiveOne(packet: Packet, bodies: ReadonlyMap<string, string>): void {
		if (packet.kind !== referenceKind) return this.#options.receive(packet);
		const body = bodies.get(`${packet.sender} ${packet.sequence}`);
		if (body !== undefined) this.#options.receive({ ...packet, kind: "events", body });
		else if (!this.#options.wants(packet)) this.#options.receive({ ...packet, kind: "events", body: "" });
	}
}
