import {
	type BusEvent,
	type EntityKind,
	type EntityMap,
	type EventBus,
	type EventData,
	type Instrument,
	isSvcError,
	type SubscribeOptions,
	type WriteOperation,
} from "../../contract/index.ts";
import { toSubscription } from "../basics/plugin-results.ts";
import { announcementPrefix } from "../executions/execution-events.ts";
import { ExecutionMetrics, installPendingEventCounter } from "./engine-metrics.ts";
import type { TelemetryHub } from "./telemetry-hub.ts";

/**
 * Returns an event bus whose traffic is measured, and the metrics of the storage. The metrics of executions are derived from stored and
 * published changes. Without a telemetry plugin, returns the bus unchanged and no metrics, at no cost.
 */
export function instrumentEventBus(
	eventBus: EventBus,
	hub: TelemetryHub,
): { readonly eventBus: EventBus; readonly metrics?: StorageMetrics } {
	if (!hub.isOn) return { eventBus };
	installPendingEventCounter(hub);
	hub.onPublished(new ExecutionMetrics(hub));
	return { eventBus: new InstrumentedBus(eventBus, hub), metrics: new StorageMetrics(hub) };
}

/**
 * Event bus that counts events, and passes published events to the telemetry hub. Events are published only after their changes were
 * stored, so the hub receives no false events.
 */
class InstrumentedBus implements EventBus {
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
		this.#published = hub.counter({ name: "svc_bus_events_published_total", help: "Events that this node published.", labels });
		this.#received = hub.counter({
			name: "svc_bus_events_received_total",
			help: "Events that subscriptions of this node received.",
			labels,
		});
		this.#gaps = hub.counter({
			name: "svc_bus_gaps_total",
			help: "Subscriptions that missed events because a reader was too slow or the connection was lost and reopened.",
		});
		this.#failures = hub.counter({
			name: "svc_bus_subscription_failures_total",
			help: "Subscriptions that failed to open or broke; each is retried.",
		});
	}

	get capabilities(): EventBus["capabilities"] {
		return this.#bus.capabilities;
	}

	publish(name: string, data: EventData): void {
		this.#bus.publish(name, data);
		this.#published.record(1, toLabel(name));
		this.#hub.notifyPublished(name, data);
	}

	async subscribe(names: readonly string[], { filter, ...options }: SubscribeOptions): Promise<AsyncIterable<BusEvent>> {
		const countingFilter = (event: BusEvent) => {
			if (filter !== undefined && !filter(event)) return false;
			this.#received.record(1, toLabel(event.name));
			return true;
		};
		try {
			return this.#withErrorCounts(await toSubscription(this.#bus.subscribe(names, { ...options, filter: countingFilter })));
		} catch (error) {
			this.#failures.record(1);
			throw error;
		}
	}

	/** Returns the same events, and counts gaps and failures of the subscription. */
	#withErrorCounts(events: AsyncIterable<BusEvent>): AsyncIterable<BusEvent> {
		const countAndThrow = (error: unknown): never => {
			(isSvcError(error, "SVC_SUBSCRIBER_LAGGED") ? this.#gaps : this.#failures).record(1);
			throw error;
		};
		return {
			[Symbol.asyncIterator]() {
				const iterator = events[Symbol.asyncIterator]();
				return {
					next: () => iterator.next().catch(countAndThrow),
					return: async (value?: unknown) => (await iterator.return?.(value)) ?? { done: true, value: undefined },
				};
			},
		};
	}
}

/**
 * Returns the label value for an event name. All announcements share one value, because actions choose their names, and each value costs
 * memory.
 */
function toLabel(name: string): string {
	return name.startsWith(announcementPrefix) ? "svc.announcement" : name;
}

/** Upper bounds of the statement histogram, in seconds. Most statements take less than a millisecond, or wait for a disk. */
const statementBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Measures the statements of the storage, and passes inserted records to the telemetry hub. */
export class StorageMetrics {
	readonly #hub: TelemetryHub;
	readonly #duration: Instrument;
	readonly #errors: Instrument;

	constructor(hub: TelemetryHub) {
		this.#hub = hub;
		this.#duration = hub.histogram({
			name: "svc_storage_statement_duration_seconds",
			help: "Duration of storage operations.",
			labels: ["method"],
			buckets: statementBuckets,
		});
		this.#errors = hub.counter({
			name: "svc_storage_errors_total",
			help: "Storage operations that failed, by error code. SVC_CONFLICT: a concurrent write came first.",
			labels: ["method", "code"],
		});
	}

	/**
	 * Measures a statement. Returns the promise `statement` itself, so that the caller does not wait for an additional promise. The hub is
	 * notified of inserted records before the caller continues.
	 */
	measure<T>(method: string, statement: Promise<T>, operations: readonly WriteOperation[] = []): Promise<T> {
		const startedAt = performance.now();
		const recordDuration = () => this.#duration.record((performance.now() - startedAt) / 1_000, method);
		statement.then(
			() => {
				recordDuration();
				for (const operation of operations) {
					if ("insert" in operation) this.#hub.notifyStored(operation.insert, operation.entities as readonly EntityMap[EntityKind][]);
				}
			},
			(error: unknown) => {
				recordDuration();
				this.#errors.record(1, method, isSvcError(error) ? error.code : "other");
			},
		);
		return statement;
	}
}
