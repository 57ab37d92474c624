import { type BusEvent, type EventBus, type EventData, type Instrument, isSvcError, type SubscribeOptions } from "../../contract/index.ts";
import { toSubscription } from "../basics/plugin-answers.ts";
import { announcementPrefix } from "../executions/execution-events.ts";
import type { TelemetryHub } from "./telemetry-hub.ts";

/** An event bus that tells what comes and goes. What is published here has been stored before, so that listeners hear the truth. */
export class ObservedBus implements EventBus {
	readonly #bus: EventBus;
	readonly #hub: TelemetryHub;
	readonly #published: Instrument;
	readonly #received: Instrument;
	readonly #gaps: Instrument;
	readonly #failures: Instrument;

	constructor(bus: EventBus, hub: TelemetryHub) {
		this.#bus = bus;
		this.#hub = hub;
		const labels = ["event"];
		this.#published = hub.counter({ name: "svc_bus_events_published_total", help: "Events that this node has told.", labels });
		this.#received = hub.counter({
			name: "svc_bus_events_received_total",
			help: "Events that subscriptions of this node were for.",
			labels,
		});
		this.#gaps = hub.counter({
			name: "svc_bus_gaps_total",
			help: "Subscriptions that missed events: a reader was too slow, or the connection was lost and made again.",
		});
		this.#failures = hub.counter({
			name: "svc_bus_subscription_failures_total",
			help: "Subscriptions that could not be made, or that broke; each is tried again.",
		});
	}

	get capabilities(): EventBus["capabilities"] {
		return this.#bus.capabilities;
	}

	publish(name: string, data: EventData): void {
		this.#bus.publish(name, data);
		this.#published.record(1, toLabel(name));
		this.#hub.published(name, data);
	}

	async subscribe(names: readonly string[], { filter, ...options }: SubscribeOptions): Promise<AsyncIterable<BusEvent>> {
		const counting = (event: BusEvent) => {
			if (filter !== undefined && !filter(event)) return false;
			this.#received.record(1, toLabel(event.name));
			return true;
		};
		try {
			return this.#watched(await toSubscription(this.#bus.subscribe(names, { ...options, filter: counting })));
		} catch (error) {
			this.#failures.record(1);
			throw error;
		}
	}

	#watched(events: AsyncIterable<BusEvent>): AsyncIterable<BusEvent> {
		const fail = (error: unknown): never => {
			(isSvcError(error, "SVC_SUBSCRIBER_LAGGED") ? this.#gaps : this.#failures).record(1);
			throw error;
		};
		return {
			[Symbol.asyncIterator]() {
				const iterator = events[Symbol.asyncIterator]();
				return {
					next: () => iterator.next().catch(fail),
					return: async (value?: unknown) => (await iterator.return?.(value)) ?? { done: true, value: undefined },
				};
			},
		};
	}
}

/** Announcements are named by whoever makes them. */
function toLabel(name: string): string {
	return name.startsWith(announcementPrefix) ? "svc.announcement" : name;
}
