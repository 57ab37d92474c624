import { randomBytes } from "node:crypto";
import {
	type BusEvent,
	type EventBus,
	type EventData,
	type Logger,
	type PluginContext,
	type SubscribeOptions,
	toErrorMessage,
} from "../../core/contract/index.ts";
import { FanOut } from "./fan-out.ts";
import { Inbox } from "./inbox.ts";
import { Outbox } from "./outbox.ts";
import { toLanes } from "./partitions.ts";
import { Reconnector } from "./reconnector.ts";
import { type SendLoopOptions, sendUntilDisconnected } from "./send-loop.ts";
import { pause, withTimeout } from "./timeout.ts";
import type { Connection, Transport } from "./transport.ts";

export interface SharedBusOptions {
	/** Milliseconds between two heartbeats. Default 5,000. */
	readonly beat?: number;
}

/** Maximum milliseconds that a start waits for the first connection. */
const startTimeout = 5_000;
/** Maximum milliseconds that a stop waits until published events have been sent. */
const stopTimeout = 2_000;
/** Maximum milliseconds that `subscribe` waits until the server has confirmed the wanted lanes. */
const listenTimeout = 5_000;

/**
 * An event bus for several nodes. Within the process events are delivered directly; a transport carries them to the other nodes. Whenever a
 * node may have missed an event, all its subscribers get `SVC_SUBSCRIBER_LAGGED`.
 */
export class SharedBus implements EventBus {
	readonly capabilities = { shared: true };
	readonly #self = randomBytes(9).toString("base64url");
	readonly #transport: Transport;
	readonly #beat: number;
	readonly #fanOut = new FanOut();
	readonly #lanes: WantedLanes;
	#logger: Logger | undefined;
	#outbox: Outbox | undefined;
	#inbox: Inbox | undefined;
	#link: Reconnector | undefined;
	#connection: Connection | undefined;
	/** Aborts when the current connection is lost. */
	#lost: AbortSignal = AbortSignal.abort();
	#listening: Promise<void> | undefined;
	/** Number of events dropped since the last connection. Logged at the next one. */
	#dropped = 0;

	constructor(transport: Transport, { beat = 5_000 }: SharedBusOptions = {}) {
		this.#transport = transport;
		this.#beat = beat;
		this.#lanes = new WantedLanes(transport.lanes);
	}

	async check(context: PluginContext): Promise<void> {
		await this.#transport.prepare(context);
	}

	async start(context: PluginContext): Promise<void> {
		await this.#transport.prepare(context);
		const { logger } = context;
		const outbox = new Outbox({
			sender: this.#self,
			lanes: this.#transport.lanes,
			capacity: this.#transport.capacity,
			onDrop: (count, reason) => this.#countDropped(count, reason),
		});
		const inbox = new Inbox({
			self: this.#self,
			fanOut: this.#fanOut,
			beat: this.#beat,
			lanes: () => this.#lanes.all(),
			onMalformed: (error) => logger.warn("a message on the event bus cannot be read", { reason: toErrorMessage(error) }),
		});
		this.#logger = logger;
		this.#outbox = outbox;
		this.#inbox = inbox;
		this.#link = new Reconnector({
			transport: this.#transport,
			receiver: { self: this.#self, wants: (name) => this.#fanOut.wants(name), receive: (packet) => inbox.receive(packet) },
			logger,
			use: (connection, lost, onReady) => {
				const parts = { connection, outbox, inbox, beat: this.#beat, echoes: this.#transport.echoes, lost };
				return this.#use(parts, onReady);
			},
		});
		const started = new AbortController();
		await Promise.race([this.#link.start(), pause(startTimeout, started.signal)]);
		started.abort();
	}

	publish(name: string, data: EventData): void {
		const event: BusEvent = { name, data };
		this.#fanOut.publish(event);
		this.#outbox?.add(event);
	}

	async subscribe(names: readonly string[], options: SubscribeOptions): Promise<AsyncIterable<BusEvent>> {
		const added = this.#lanes.add(names);
		const subscription = this.#open(names, options);
		for (const lane of added) this.#inbox?.forgetLane(lane);
		if (added.length > 0) this.#listening = this.#listen();
		// Also wait if a concurrent call has requested the lane.
		await this.#listening;
		return subscription;
	}

	async stop(): Promise<void> {
		const outbox = this.#outbox;
		this.#outbox = undefined;
		if (outbox !== undefined && this.#connection !== undefined) {
			const stopped = new AbortController();
			await Promise.race([outbox.emptied(), pause(stopTimeout, stopped.signal)]);
			stopped.abort();
		}
		await this.#link?.stop();
		outbox?.stop();
		this.#fanOut.stop();
	}

	#open(names: readonly string[], options: SubscribeOptions): AsyncIterable<BusEvent> {
		const leave = () => {
			if (this.#lanes.remove(names)) void this.#listen();
		};
		try {
			return this.#fanOut.subscribe(names, options, leave);
		} catch (error) {
			leave();
			throw error;
		}
	}

	/**
	 * Asks the transport for the lanes that have subscribers. If that fails, the next connection does it, and subscribers are notified of a
	 * gap.
	 */
	async #listen(): Promise<void> {
		const listening = this.#connection?.listen?.(this.#lanes.all());
		if (listening !== undefined) await withTimeout(listening, listenTimeout, this.#lost).catch(() => {});
	}

	async #use(parts: SendLoopOptions, onReady: () => void): Promise<void> {
		this.#connection = parts.connection;
		this.#lost = parts.lost;
		try {
			await this.#listen();
			if (parts.lost.aborted) return;
			parts.inbox.open();
			onReady();
			if (this.#dropped > 0) this.#logger?.info("events were not sent to other nodes", { count: this.#dropped });
			this.#dropped = 0;
			await sendUntilDisconnected(parts);
		} finally {
			this.#connection = undefined;
			parts.inbox.close();
		}
	}

	#countDropped(count: number, reason: string): void {
		if (this.#dropped === 0) this.#logger?.warn("events are not sent to other nodes; they poll the storage instead", { reason });
		this.#dropped += count;
	}
}

/** Counts the subscribers of each lane. */
export class WantedLanes {
	readonly #lanes: number;
	readonly #subscribers = new Map<number, number>();

	/** @param lanes total number of lanes */
	constructor(lanes: number) {
		this.#lanes = lanes;
	}

	/** Returns all lanes that have subscribers. */
	all(): ReadonlySet<number> {
		return new Set(this.#subscribers.keys());
	}

	/** Adds a subscriber. Returns the lanes that had none before. */
	add(names: readonly string[]): number[] {
		const added: number[] = [];
		for (const lane of toLanes(names, this.#lanes)) {
			const count = this.#subscribers.get(lane) ?? 0;
			if (count === 0) added.push(lane);
			this.#subscribers.set(lane, count + 1);
		}
		return added;
	}

	/** Removes a subscriber. Returns true if a lane has no more subscribers. */
	remove(names: readonly string[]): boolean {
		let isFewer = false;
		for (const lane of toLanes(names, this.#lanes)) {
			const count = this.#subscribers.get(lane) ?? 0;
			if (count > 1) this.#subscribers.set(lane, count - 1);
			else isFewer = this.#subscribers.delete(lane) || isFewer;
		}
		return isFewer;
	}
}
