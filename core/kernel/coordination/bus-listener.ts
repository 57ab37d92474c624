import { type BusEvent, type EventBus, isSvcError, type Logger } from "../../contract/index.ts";
import { wait } from "../../lib/wait.ts";
import { toSubscription } from "../basics/plugin-results.ts";

const shortestPause = 50;
const longestPause = 1_000;

export interface BusWatchOptions {
	readonly eventBus: EventBus;
	readonly logger: Logger;
	/** Event names; their patterns as in `EventBus.subscribe`. */
	readonly names: readonly string[];
	/** What is waited for, in the log. */
	readonly purpose: string;
	/** As in `EventBus.subscribe`. */
	readonly filter?: (event: BusEvent) => boolean;
	readonly onEvent: (event: BusEvent) => void;
	/** Events may have been missed: only the storage knows. Called once it is certain that no more are. */
	readonly onGap: () => void;
}

/** Follows events for as long as it is wanted, over everything that may happen to the bus. */
export interface BusWatch {
	/** Resolves when nothing published afterwards is missed; also while the bus is away, which is then tried again. */
	start(): Promise<void>;
	/** May be called before `start`, and started again. */
	stop(): void;
}

export function createBusWatch({ eventBus, logger, names, purpose, filter, onEvent, onGap }: BusWatchOptions): BusWatch {
	let watching: AbortController | undefined;

	const subscribe = (signal: AbortSignal) => toSubscription(eventBus.subscribe(names, { signal, ...(filter !== undefined && { filter }) }));

	async function subscribeUnlessAway(signal: AbortSignal): Promise<AsyncIterable<BusEvent> | undefined> {
		try {
			return await subscribe(signal);
		} catch (error) {
			if (!isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			logger.warn("event bus is away; what it would tell is looked for in the storage", { purpose, error });
			return undefined;
		}
	}

	async function follow(first: AsyncIterable<BusEvent> | undefined, signal: AbortSignal): Promise<void> {
		let events = first;
		for (let pause = shortestPause; !signal.aborted; pause = Math.min(pause * 2, longestPause)) {
			try {
				if (events === undefined) {
					events = await subscribe(signal);
					onGap();
				}
				pause = shortestPause;
				for await (const event of events) onEvent(event);
				return;
			} catch (error) {
				if (signal.aborted) return;
				// A bus between nodes says so whenever it has lost a connection.
				const isGap = isSvcError(error, "SVC_SUBSCRIBER_LAGGED");
				if (events !== undefined) logger[isGap ? "info" : "warn"]("events were missed, storage is read instead", { purpose, error });
				events = undefined;
				if (!isGap) await wait(pause, signal);
			}
		}
	}

	return {
		async start() {
			watching?.abort();
			watching = new AbortController();
			const { signal } = watching;
			const first = await subscribeUnlessAway(signal);
			void follow(first, signal);
		},
		stop() {
			watching?.abort();
			watching = undefined;
		},
	};
}
