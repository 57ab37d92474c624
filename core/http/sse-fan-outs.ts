import { LoopLoad } from "../lib/event-loop.ts";
import { Broadcast } from "./sse-fan-out.ts";
import { type BroadcastSource, Feed } from "./sse-fan-out-feed.ts";

/** How a broadcast is found, and made where there is none. */
export interface BroadcastRequest {
	/** Clients with the same key get the same bytes: it must hold all that decides what they may see. */
	readonly key: unknown;
	open(signal: AbortSignal): Promise<BroadcastSource>;
	/** Ends the reading. */
	readonly signal: AbortSignal;
}

/** For tests. */
export interface BroadcastsParts {
	/** Bytes kept for clients that are behind, all of them together. */
	readonly mostHeld?: number;
	readonly now?: () => number;
	readonly later?: (go: () => void, milliseconds: number) => void;
	readonly watchLoad?: () => Pick<LoopLoad, "wasLittle">;
}

/** Bytes kept for clients that are behind, all of them together. */
const mostHeld = 33_554_432;
/** So much longer than the last writes took is waited before the next: they take at most a quarter of the time. */
const restShare = 3;
/** The same where the event loop has little else to do: half of the time. */
const idleRestShare = 1;
/** Milliseconds. */
const longestRest = 50;

/**
 * Streams that several clients get alike: what is said to them is made once, and written to all at once. Where there are many, writing takes
 * longer than making it: then more is gathered before it is written.
 */
export class Broadcasts {
	readonly #mostHeld: number;
	readonly #now: () => number;
	readonly #later: NonNullable<BroadcastsParts["later"]>;
	readonly #watchLoad: NonNullable<BroadcastsParts["watchLoad"]>;
	readonly #feeds = new Map<unknown, Feed>();
	readonly #open = new Set<Broadcast>();
	readonly #pending = new Set<Broadcast>();
	#isBusy = false;
	/** When the next may be written, in milliseconds of `now`: where others need the event loop, and where they do not. */
	#rest = { until: 0, untilIdle: 0 };

	constructor(parts: BroadcastsParts = {}) {
		const { mostHeld: limit = mostHeld, now = () => performance.now(), later = setTimeout, watchLoad = () => new LoopLoad() } = parts;
		this.#mostHeld = limit;
		this.#now = now;
		this.#later = later;
		this.#watchLoad = watchLoad;
	}

	/** What is said from now on. `SVC_SUBSCRIBER_LAGGED` is thrown to a client that is too far behind. */
	async join({ key, open, signal }: BroadcastRequest): Promise<AsyncIterable<Uint8Array>> {
		for (;;) {
			const feed = this.#feeds.get(key) ?? this.#start(key, open);
			const reader = await feed.join();
			// Its last reader has left, or it has come to its end, while this one was on its way.
			if (reader === undefined) continue;
			const leave = () => reader.fail();
			if (signal.aborted) leave();
			else signal.addEventListener("abort", leave, { once: true });
			return reader;
		}
	}

	#start(key: unknown, open: BroadcastRequest["open"]): Feed {
		const broadcast: Broadcast = new Broadcast({
			onPending: () => {
				this.#pending.add(broadcast);
				if (!this.#isBusy) this.#plan();
			},
			onEmpty: () => {
				this.#open.delete(broadcast);
				feed.stop();
			},
		});
		const feed: Feed = new Feed(open, broadcast, () => {
			if (this.#feeds.get(key) === feed) this.#feeds.delete(key);
		});
		this.#open.add(broadcast);
		this.#feeds.set(key, feed);
		return feed;
	}

	#plan(): void {
		this.#isBusy = true;
		const { until, untilIdle } = this.#rest;
		const now = this.#now();
		if (until - now < 1) return void setImmediate(() => void this.#flush());
		const load = this.#watchLoad();
		const go = () => {
			if (this.#now() >= until || load.wasLittle()) void this.#flush();
			else this.#later(go, 1);
		};
		this.#later(go, Math.max(0, untilIdle - now));
	}

	async #flush(): Promise<void> {
		const started = this.#now();
		// Before there is more: whoever reads has taken by now what there was.
		for (const broadcast of this.#pending) broadcast.dropLagging();
		this.#makeRoom();
		for (const broadcast of this.#pending) broadcast.flush();
		this.#pending.clear();
		await written();
		const now = this.#now();
		const rest = (share: number) => now + Math.min(longestRest, share * (now - started));
		this.#rest = { until: rest(restShare), untilIdle: rest(idleRestShare) };
		this.#isBusy = false;
		if (this.#pending.size > 0) this.#plan();
	}

	#makeRoom(): void {
		for (;;) {
			let held = 0;
			let most: readonly [held: number, broadcast: Broadcast | undefined] = [0, undefined];
			for (const broadcast of this.#open) {
				const own = broadcast.held;
				held += own;
				if (own > most[0]) most = [own, broadcast];
			}
			if (held <= this.#mostHeld) return;
			most[1]?.dropSlowest();
		}
	}
}

/** Resolves about when the sockets have been written to: promises stand between a reader and its socket, and Node writes behind them. */
async function written(): Promise<void> {
	for (let step = 0; step < 10; step += 1) await undefined;
	await new Promise<void>((resolve) => process.nextTick(resolve));
}
