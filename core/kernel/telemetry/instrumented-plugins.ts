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
import { countEvents, ExecutionMetrics } from "./engine-metrics.ts";
import type { TelemetryHub } from "./telemetry-hub.ts";

interface Observable {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly hub: TelemetryHub;
}

/**
 * The same plugins, and what passes through storage and event bus is told: all that the service does is stored, and then told to everybody,
 * so that nothing else has to be changed for it. Where nobody is told they are as they were, and nothing costs anything.
 */
export function observePlugins<P extends Observable>(plugins: P): P {
	const { storage, eventBus, hub } = plugins;
	if (!hub.isOn) return plugins;
	countEvents(hub);
	hub.onPublished(new ExecutionMetrics(hub));
	return { ...plugins, storage: new ObservedStorage(storage, hub), eventBus: new ObservedBus(eventBus, hub) };
}

/** An event bus that tells what comes and goes. What is published here has been stored before, so that listeners hear the truth. */
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

/** Upper bounds in seconds: most statements are answered within a millisecond, or wait for a disk. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

type ClaimQuery<E> = { readonly where: Where<E>; readonly orderBy?: readonly Order<E>[]; readonly limit: number };

/** A storage that tells how long each statement took, and what it has stored. */
export class ObservedStorage implements Storage {
	/** What a storage need not have is there where it has it. */
	declare readonly now?: () => Promise<number>;
	declare readonly compact?: () => Promise<boolean>;
	readonly #storage: Storage;
	readonly #hub: TelemetryHub;
	readonly #duration: Instrument;
	readonly #errors: Instrument;

	constructor(storage: Storage, hub: TelemetryHub) {
		this.#storage = storage;
		// Asked for at each call, as behind the door there may be another one by then.
		if (storage.now !== undefined) this.now = () => (storage as Required<Storage>).now();
		if (storage.compact !== undefined) this.compact = () => (storage as Required<Storage>).compact();
		this.#hub = hub;
		this.#duration = hub.histogram({
			name: "svc_storage_statement_duration_seconds",
			help: "How long the storage took to answer.",
			labels: ["method"],
			buckets,
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
		return this.#timed("insert", this.#storage.insert(kind, entities), () => this.#hub.stored(kind, entities));
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
				if ("insert" in operation) this.#hub.stored(operation.insert, operation.entities as readonly EntityMap[EntityKind][]);
			}
		});
	}

	/**
	 * The very promise of the storage: whoever asks waits for no other one, and what is told here is told before they go on. `done` must not
	 * throw.
	 */
	#timed<T>(method: string, statement: Promise<T>, done?: () => void): Promise<T> {
		const started = performance.now();
		const took = () => this.#duration.record((performance.now() - started) / 1_000, method);
		statement.then(
			() => {
				took();
				done?.();
			},
			(error: unknown) => {
				took();
				this.#errors.record(1, method, isSvcError(error) ? error.code : "other");
			},
		);
		return statement;
	}
}
