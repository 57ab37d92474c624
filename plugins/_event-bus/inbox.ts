import type { FanOut } from "./fan-out.ts";
import { type Packet, readEvents } from "./packet.ts";

export interface InboxOptions {
	/** Id of this bus. */
	readonly self: string;
	readonly fanOut: FanOut;
	/** Milliseconds between two heartbeats of each sender. */
	readonly beat: number;
	/** Returns the lanes that this node receives. */
	readonly lanes: () => Iterable<number>;
	/** Called with the error if a packet cannot be parsed. */
	readonly onMalformed: (error: unknown) => void;
}

interface Sender {
	/** Highest received sequence number of each lane; missing until its first packet or heartbeat arrives. */
	readonly reached: Map<number, number>;
	heardAt: number;
}

/** Heartbeat intervals after which every active sender must have been received, and after which a silent sender is forgotten. */
const beatsUntilKnown = 2.5;
const beatsUntilForgotten = 12;
const maxSenders = 1_000;

/**
 * Delivers the packets of other nodes to the subscribers of this node, once each and in the order of each sender. If a packet is missing,
 * all subscribers are notified, because its contents are unknown.
 */
export class Inbox {
	readonly #options: InboxOptions;
	readonly #senders = new Map<string, Sender>();
	#isOpen = false;
	#openedAt = 0;
	#ownBeats = 0;

	constructor(options: InboxOptions) {
		this.#options = options;
	}

	/** Number of heartbeats of this bus that the transport has delivered back to it. */
	get ownBeats(): number {
		return this.#ownBeats;
	}

	/** Called when the connection is lost. Sequence numbers are compared only within one connection. */
	close(): void {
		this.#isOpen = false;
		this.#senders.clear();
	}

	/** Called when all wanted lanes are received. Notifies the subscribers that earlier packets may be missing. */
	open(): void {
		this.#isOpen = true;
		this.#openedAt = performance.now();
		this.#options.fanOut.lag("the connection of the event bus was lost; events of other nodes may be missing");
	}

	/** Called when this node starts to receive a lane. Otherwise packets from before that would count as missing. */
	forgetLane(lane: number): void {
		for (const { reached } of this.#senders.values()) reached.delete(lane);
	}

	receive(packet: Packet): void {
		if (packet.sender === this.#options.self) {
			if (packet.kind === "beat") this.#ownBeats += 1;
			return;
		}
		try {
			if (packet.kind === "events") this.#receiveEvents(packet);
			else if (packet.kind === "beat") this.#receiveBeat(packet);
		} catch (error) {
			this.#options.onMalformed(error);
			this.#lag();
		}
	}

	#receiveEvents({ sender: id, lane, sequence, body }: Packet): void {
		const sender = this.#find(id, sequence > 1);
		const reached = sender.reached.get(lane);
		// A transport may repeat or reorder packets. A late packet was already reported as missing when its successor arrived.
		if (reached !== undefined && sequence <= reached) return;
		sender.reached.set(lane, sequence);
		if (reached !== undefined && sequence > reached + 1) this.#lag();
		if (!this.#isOpen) return;
		const { fanOut } = this.#options;
		readEvents(
			body,
			(name) => fanOut.wants(name),
			(event) => fanOut.publish(event),
		);
	}

	#receiveBeat({ sender: id, body }: Packet): void {
		const sent = new Map(Object.entries(JSON.parse(body) as Record<string, number>));
		const lanes = [...this.#options.lanes()].map((lane) => [lane, sent.get(String(lane)) ?? 0] as const);
		const sender = this.#find(
			id,
			lanes.some(([, sequence]) => sequence > 0),
		);
		let isBehind = false;
		for (const [lane, sequence] of lanes) {
			const reached = sender.reached.get(lane) ?? sequence;
			isBehind ||= sequence > reached;
			sender.reached.set(lane, Math.max(sequence, reached));
		}
		if (isBehind) this.#lag();
		this.#forgetSilent();
	}

	/**
	 * Returns the state of a sender, and creates it if necessary.
	 *
	 * @param hasSent true if the sender has sent earlier packets that should have arrived here
	 */
	#find(id: string, hasSent: boolean): Sender {
		const now = performance.now();
		const known = this.#senders.get(id);
		if (known !== undefined) {
			known.heardAt = now;
			return known;
		}
		// By this time, every sender that was reachable when this node began to listen is known. This one was not reachable, so packets of it may
		// be missing.
		if (hasSent && now - this.#openedAt > this.#options.beat * beatsUntilKnown) this.#lag();
		const sender = { reached: new Map<number, number>(), heardAt: now };
		this.#senders.set(id, sender);
		if (this.#senders.size > maxSenders) this.#senders.delete(this.#senders.keys().next().value ?? "");
		return sender;
	}

	#forgetSilent(): void {
		const earliest = performance.now() - this.#options.beat * beatsUntilForgotten;
		for (const [id, { heardAt }] of this.#senders) if (heardAt < earliest) this.#senders.delete(id);
	}

	#lag(): void {
		if (this.#isOpen) this.#options.fanOut.lag("events of another node were lost");
	}
}
