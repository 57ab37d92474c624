import type { Lifecycle, Plugin } from "./plugin.ts";

/**
 * Data of an event: a JSON object. An in-process bus may pass on the same object, so neither publisher nor subscribers may change it.
 */
export type EventData = Readonly<Record<string, unknown>>;

/** An event, as subscribers receive it. */
export interface BusEvent {
	readonly name: string;
	readonly data: EventData;
}

/** Filter, buffer size and end of a subscription. */
export interface SubscribeOptions {
	/** Ends the subscription: the iterable finishes without an error. */
	readonly signal: AbortSignal;
	/**
	 * Returns false for events that are dropped before they enter the buffer. It must be fast and must not throw. Default: all events
	 * pass.
	 */
	readonly filter?: (event: BusEvent) => boolean;
	/** Maximum number of buffered events for a slow subscriber. Default 1,000. */
	readonly buffer?: number;
}

/** Capabilities of an event bus. */
export interface EventBusCapabilities {
	/** True if events reach other processes. A bus that is not shared serves a single node only. Default false. */
	readonly shared?: boolean;
	/**
	 * True if `publish` runs the filters of all subscribers synchronously and passes the same object to the matching subscribers only.
	 *
	 * Such a bus neither reads nor copies the data. Objects that the data refers to may be released once no filter has accepted the
	 * event. Default false.
	 */
	readonly direct?: boolean;
}

/**
 * Delivers wake-ups and live events to other components and nodes. The storage is the source of truth.
 *
 * Between nodes, a bus may lose, repeat or reorder events without harm. The contents of an event must not change.
 *
 * If the server of the bus is unavailable, `start` succeeds and the bus connects later. Until then, `subscribe` may reject with
 * `SVC_UNAVAILABLE`, and the host retries it.
 */
export interface EventBus extends Lifecycle {
	/** Capabilities of the bus. They are available before `start` and never change. */
	readonly capabilities: EventBusCapabilities;
	/** Sends an event to all subscribers. Each receives events in the order of the calls. Neither waits nor throws if a subscriber is slow. */
	publish(name: string, data: EventData): void;
	/**
	 * Subscribes to event names, which are exact or end in `*`.
	 *
	 * The subscription is active when the promise resolves: no event that is published afterwards is missed. If the buffer of a subscriber
	 * is full, the iterable throws `SVC_SUBSCRIBER_LAGGED`; events are never dropped silently. The subscription ends with the iteration or
	 * when the signal aborts.
	 */
	subscribe(names: readonly string[], options: SubscribeOptions): Promise<AsyncIterable<BusEvent>>;
}

/** An event bus plugin, as a configuration refers to it. */
export type EventBusPlugin = Plugin<"event-bus", EventBus>;
