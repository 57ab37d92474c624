import {
	type EntityKind,
	type EntityMap,
	type Instrument,
	isSvcError,
	type Order,
	type Patch,
	type Query,
	type Storage,
	type Where,
	type WriteOperation,
} from "../../contract/index.ts";
import type { TelemetryHub } from "./telemetry-hub.ts";

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
