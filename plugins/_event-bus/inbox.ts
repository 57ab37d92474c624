import type { FanOut } from "./fan-out.ts";
import { type Packet, readEvents } from "./packet.ts";

export interface InboxOptions {
	/** Id of this bus. */
	readonly self: string;
	readonly fanOut: FanOut;
	/** Milliseconds between two beats of each sender. */
	readonly beat: number;
	/** The lanes whose packets arrive here. */
	readonly lanes: () => Iterable<number>;
	/** Told of what cannot be read. */
	readonly onMalformed: (error: unknown) => void;
}

interface Sender {
	/** Highest number seen of each lane; none where it is not known which came last before this node listened. */
	readonly reached: Map<number, number>;
	heardAt: number;
}

/** Beats after which every sender must have been heard of, and after which one that is not heard of is forgotten. */
const beatsUntilKnown = 2.5;
const beatsUntilForgotten = 12;
const mostSenders = 1_000;

/**
 * Hands what other nodes have sent to the subscribers of this one: in the order of each sender, each packet once. Where one is missing
 * every subscriber is told, for nobody knows what was in it.
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

	/** How many beats of this bus itself have come back. */
	get ownBeats(): number {
		return this.#ownBeats;
	}

	/** The connection is lost: what follows is of the next one. */
	close(): void {
		this.#isOpen = false;
		this.#senders.clear();
	}

	/** From now on everything arrives. Before, something may have been missed. */
	open(): void {
		this.#isOpen = true;
		this.#openedAt = performance.now();
		this.#options.fanOut.lag("the connection of the event bus was lost, events of other nodes may be missing");
	}

	/** Of a lane that begins to arrive nothing is known. */
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
		// A transport may repeat or reorder: what comes late was told of as missing when its successor came.
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

	/** @param hasSent whether it has sent something before that should have arrived here */
	#find(id: string, hasSent: boolean): Sender {
		const now = performance.now();
		const known = this.#senders.get(id);
		if (known !== undefined) {
			known.heardAt = now;
			return known;
		}
		// Who was there when this node began to listen has been heard of by now: this one was cut off.
		if (hasSent && now - this.#openedAt > this.#options.beat * beatsUntilKnown) this.#lag();
		const sender = { reached: new Map<number, number>(), heardAt: now };
		this.#senders.set(id, sender);
		if (this.#senders.size > mostSenders) this.#senders.delete(this.#senders.keys().next().value ?? "");
		return sender;
	}

	#forgetSilent(): void {
		const earliest = performance.now() - this.#options.beat * beatsUntilForgotten;
		for (const [id, { heardAt }] of this.#senders) if (heardAt < earliest) this.#senders.delete(id);
	}

	#lag(): void {
		if (this.#isOpen) this.#options.fanOut.lag("events of another node were lost on the way");
	}
}
