import type { Lifecycle, Plugin } from "./plugin.ts";

/** Data of an event: JSON by shape. A bus inside one process may pass the same object on, so nobody changes it. */
export type EventData = Readonly<Record<string, unknown>>;

/** An event as subscribers get it. */
export interface BusEvent {
	readonly name: string;
	readonly data: EventData;
}

/** How a subscription is filtered, held back and ended. */
export interface SubscribeOptions {
	/** Ends the subscription: the iterable finishes without an error. */
	readonly signal: AbortSignal;
	/** Events for which it is false are dropped before they take a place in the buffer. Must be quick and must not throw. */
	readonly filter?: (event: BusEvent) => boolean;
	/** Events held for a slow reader. Default 1,000. */
	readonly buffer?: number;
}

/** What an event bus can do. */
export interface EventBusCapabilities {
	/** Whether events reach other processes. A bus that is not shared serves one node only. Default false. */
	readonly shared?: boolean;
	/**
	 * Whether `publish` has asked the filters of all subscribers when it returns, and hands the very object on to those that want it, to
	 * nobody else and unread. What an event refers to may then be gone later where no filter has kept it. Default false.
	 */
	readonly direct?: boolean;
}

/**
 * Wake-ups and fan-out. The storage is the truth: a bus may lose, repeat or reorder events between nodes without harm,
 * but what it delivers it delivers unchanged.
 *
 * A bus whose server is away starts all the same and connects later; until then `subscribe` may reject with `SVC_UNAVAILABLE`, and
 * is tried again.
 */
export interface EventBus extends Lifecycle {
	/** Known from the beginning, before `start`. */
	readonly capabilities: EventBusCapabilities;
	/** Hand an event to all subscribers. Does not wait for them; in call order to each. Never throws for a slow subscriber. */
	publish(name: string, data: EventData): void;
	/**
	 * Subscribe to event names (exact, or ending in `*`). Once the promise resolves the subscription is active: nothing
	 * published afterwards is missed. A reader that falls behind its buffer gets `SVC_SUBSCRIBER_LAGGED` from the iterable,
	 * never a silent gap. Ending the iteration, or the signal, ends the subscription.
	 */
	subscribe(names: readonly string[], options: SubscribeOptions): Promise<AsyncIterable<BusEvent>>;
}

/** An event bus as a configuration holds it. */
export type EventBusPlugin = Plugin<"event-bus", EventBus>;
