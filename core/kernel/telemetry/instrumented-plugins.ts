import {
	type BusEvent,
	type EntityKind,
	type EntityMap,
	type EventBus,
	type EventData,
	type Instrument,
	isSvcError,
	type Order,
	type Patch,
	type Query,
	type Storage,
	type SubscribeOptions,
	type Where,
	type WriteOperation,
} from "../../contract/index.ts";
import { toSubscription } from "../basics/plugin-results.ts";
import { announcementPrefix } from "../executions/execution-events.ts";
import { countStoredEvents, ExecutionMetrics } from "./engine-metrics.ts";
import type { TelemetryHub } from "./telemetry-hub.ts";

interface InstrumentablePlugins {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly hub: TelemetryHub;
}

/**
 * Returns the plugins with storage and event bus wrapped, so that all traffic through them is measured. Everything that the service does is
 * stored and then published, so no other code needs to measure it. Without a telemetry plugin, returns the plugins unchanged, at no cost.
 */
export function instrumentPlugins<P extends InstrumentablePlugins>(plugins: P): P {
	const { storage, eventBus, hub } = plugins;
	if (!hub.isOn) return plugins;
	countStoredEvents(hub);
	hub.onPublished(new ExecutionMetrics(hub));
	return { ...plugins, storage: new InstrumentedStorage(storage, hub), eventBus: new ObservedBus(eventBus, hub) };
}

/** Event bus that measures events and passes published ones to the telemetry hub. They are stored before, so they are true. */
class ObservedBus implements EventBus {
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

	/** Returns the events; counts gaps and failures of the subscription. */
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

/** Returns the label of an event. Announcements share one, because clients choose their names, and each label value costs memory. */
function toLabel(name: string): string {
	return name.startsWith(announcementPrefix) ? "svc.announcement" : name;
}

/** Upper bounds of the statement histogram, in seconds. Most statements take less than a millisecond, or wait for a disk. */
const statementBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

type ClaimQuery<E> = { readonly where: Where<E>; readonly orderBy?: readonly Order<E>[]; readonly limit: number };

/** Storage that measures each statement, and passes inserted records to the telemetry hub. */
export class InstrumentedStorage implements Storage {
	/** Optional methods exist only if the wrapped storage has them, because callers check for them. */
	declare readonly now?: () => Promise<number>;
	declare readonly compact?: () => Promise<boolean>;
	readonly #storage: Storage;
	readonly #hub: TelemetryHub;
	readonly #duration: Instrument;
	readonly #errors: Instrument;

	constructor(storage: Storage, hub: TelemetryHub) {
		this.#storage = storage;
		// Look the method up at each call: a repeated start replaces the instance behind a restartable storage.
		if (storage.now !== undefined) this.now = () => (storage as Required<Storage>).now();
		if (storage.compact !== undefined) this.compact = () => (storage as Required<Storage>).compact();
		this.#hub = hub;
		this.#duration = hub.histogram({
			name: "svc_storage_statement_duration_seconds",
			help: "How long the storage took to answer.",
			labels: ["method"],
			buckets: statementBuckets,
		});
		this.#errors = hub.counter({
			name: "svc_storage_errors_total",
			help: "Statements that the storage has refused or could not answer; SVC_CONFLICT says that somebody else was faster.",
			labels: ["method", "code"],
		});
	}

	get capabilities(): Storage["capabilities"] {
		return this.#storage.capabilities;
	}

	insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void> {
		return this.#timed("insert", this.#storage.insert(kind, entities), () => this.#hub.notifyStored(kind, entities));
	}

	get<K extends EntityKind>(kind: K, id: string): Promise<EntityMap[K] | undefined> {
		return this.#timed("get", this.#storage.get(kind, id));
	}

	find<K extends EntityKind>(kind: K, query: Query<EntityMap[K]>): Promise<EntityMap[K][]> {
		return this.#timed("find", this.#storage.find(kind, query));
	}

	count<K extends EntityKind>(kind: K, where: Where<EntityMap[K]>, limit?: number): Promise<number> {
		return this.#timed("count", limit === undefined ? this.#storage.count(kind, where) : this.#storage.count(kind, where, limit));
	}

	distinct<K extends EntityKind, F extends keyof EntityMap[K] & string>(
		kind: K,
		field: F,
		where?: Where<EntityMap[K]>,
	): Promise<NonNullable<EntityMap[K][F]>[]> {
		return this.#timed("distinct", this.#storage.distinct(kind, field, where));
	}

	update<K extends EntityKind>(
		...[kind, id, patch, expected]: [kind: K, id: string, patch: Patch<EntityMap[K]>, expected?: Where<EntityMap[K]>]
	): Promise<EntityMap[K] | undefined> {
		return this.#timed("update", this.#storage.update(kind, id, patch, expected));
	}

	claim<K extends EntityKind>(kind: K, query: ClaimQuery<EntityMap[K]>, patch: Patch<EntityMap[K]>): Promise<EntityMap[K][]> {
		return this.#timed("claim", this.#storage.claim(kind, query, patch));
	}

	remove<K extends EntityKind>(kind: K, query: { readonly where: Where<EntityMap[K]>; readonly limit?: number }): Promise<number> {
		return this.#timed("remove", this.#storage.remove(kind, query));
	}

	write(operations: readonly WriteOperation[]): Promise<void> {
		return this.#timed("write", this.#storage.write(operations), () => {
			for (const operation of operations) {
				if ("insert" in operation) this.#hub.notifyStored(operation.insert, operation.entities as readonly EntityMap[EntityKind][]);
			}
		});
	}

	/**
	 * Measures a statement. Returns the promise of the storage itself, so that the caller waits for no further promise. The hub is notified
	 * before the caller continues. `onStored` must not throw.
	 */
	#timed<T>(method: string, statement: Promise<T>, onStored?: () => void): Promise<T> {
		const startedAt = performance.now();
		const recordDuration = () => this.#duration.record((performance.now() - startedAt) / 1_000, method);
		statement.then(
			() => {
				recordDuration();
				onStored?.();
			},
			(error: unknown) => {
				recordDuration();
				this.#errors.record(1, method, isSvcError(error) ? error.code : "other");
			},
		);
		return statement;
	}
}
