import { type BusEvent, type EventBus, isSvcError, type Logger } from "../../contract/index.ts";
import { wait } from "../../lib/wait.ts";
import { toSubscription } from "../basics/plugin-results.ts";

/** Milliseconds before the first retry of a failed subscription. The pause doubles with each failure. */
const minRetryPauseMs = 50;
/** Maximum milliseconds between two retries of a subscription. */
const maxRetryPauseMs = 1_000;

export interface ReconnectingSubscriptionOptions {
	readonly eventBus: EventBus;
	readonly logger: Logger;
	/** Names or name patterns of the events, as in `EventBus.subscribe`. */
	readonly names: readonly string[];
	/** Purpose of the subscription. Appears in log entries only. */
	readonly purpose: string;
	/** Selects events, as in `EventBus.subscribe`. */
	readonly filter?: (event: BusEvent) => boolean;
	readonly onEvent: (event: BusEvent) => void;
	/**
	 * Called after events may have been missed, once a new subscription receives all later events. The caller must then read the storage,
	 * because missed events are not repeated.
	 */
	readonly onGap: () => void;
}

/** Subscription to bus events that lasts until it is stopped: after an error or an outage of the bus it subscribes again. */
export interface ReconnectingSubscription {
	/**
	 * Subscribes, and ends an earlier subscription. Resolves once no later event can be missed. If the bus is unavailable, resolves at once
	 * and retries in the background. Rejects with any other error of the bus.
	 */
	start(): Promise<void>;
	/** Ends the subscription. May be called before `start`, and `start` may be called again afterwards. */
	stop(): void;
}

/** Creates the subscription, which receives nothing until `start` is called. */
export function createReconnectingSubscription(options: ReconnectingSubscriptionOptions): ReconnectingSubscription {
	const { eventBus, logger, names, purpose, filter, onEvent, onGap } = options;
	let subscription: AbortController | undefined;

	const subscribe = (signal: AbortSignal) => toSubscription(eventBus.subscribe(names, { signal, ...(filter !== undefined && { filter }) }));

	async function subscribeIfAvailable(signal: AbortSignal): Promise<AsyncIterable<BusEvent> | undefined> {
		try {
			return await subscribe(signal);
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			logger.warn("event bus is unavailable; the storage is polled instead", { purpose, error });
			return undefined;
		}
	}

	/** Calls `onEvent` with each event until `signal` aborts. Subscribes again after each error. */
	async function listen(firstEvents: AsyncIterable<BusEvent> | undefined, signal: AbortSignal): Promise<void> {
		let events = firstEvents;
		for (let pauseMs = minRetryPauseMs; !signal.aborted; pauseMs = Math.min(pauseMs * 2, maxRetryPauseMs)) {
			try {
				if (events === undefined) {
					events = await subscribe(signal);
					onGap();
				}
				pauseMs = minRetryPauseMs;
				for await (const event of events) onEvent(event);
				return;
			} catch (error) {
				if (signal.aborted) return;
				// A bus that connects several nodes reports a gap after each lost connection, so a gap is not logged as a warning.
				const isGap = isSvcError(error, "SVC_SUBSCRIBER_LAGGED");
				if (events !== undefined) logger[isGap ? "info" : "warn"]("events were missed, storage is read instead", { purpose, error });
				events = undefined;
				if (!isGap) await wait(pauseMs, signal);
			}
		}
	}

	return {
		async start() {
			subscription?.abort();
			subscription = new AbortController();
			const { signal } = subscription;
			void listen(await subscribeIfAvailable(signal), signal);
		},
		stop() {
			subscription?.abort();
			subscription = undefined;
		},
	};
}
