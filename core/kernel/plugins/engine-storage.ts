import {
	type EntityKind,
	type EntityMap,
	isSvcError,
	type Order,
	type Patch,
	type Query,
	type Storage,
	SvcError,
	type Where,
	type WriteOperation,
} from "../../contract/index.ts";
import type { StorageMetrics } from "../telemetry/bus-and-storage-metrics.ts";

/** Execution of a built-in action that changes records for the user who requested it. */
export interface InterceptedRun {
	readonly user: string;
	readonly execution_id: string;
	readonly action_ref: string;
	/** Kinds of records whose changes by the run must pass the write interceptor. */
	readonly kinds: readonly EntityKind[];
}

/** Write interceptor: adds operations, such as audit records, to the write that stores a change. */
export interface WriteInterceptor {
	/** Returns true if changes of this kind of records must be intercepted at present. Called before every write, so it must be fast. */
	intercepts(kind: EntityKind): boolean;
	/** Stores the given operations and those that the interceptor adds by one call of `store`, all or none. */
	write(operations: readonly WriteOperation[], store: Storage["write"]): Promise<void>;
	/**
	 * Calls `work` for a run of a built-in action, and intercepts its changes. Rejects with the error of `work`. Default: such changes are not
	 * intercepted.
	 */
	duringRun?<T>(run: InterceptedRun, work: () => Promise<T>): Promise<T>;
}

/** Maximum number of records that one write removes. */
const maxRemovalBatch = 500;
/** Maximum number of failed attempts to remove records, because other callers changed them. */
const maxRemovalAttempts = 10;

/** Source of the storage instance. `current` is a new instance after the start of the storage was repeated. */
export interface StorageSource {
	readonly current: Storage;
}

/** Hooks of the engine into its storage. */
export interface StorageHooks {
	/** Measures each statement, and reports inserted records. Default: nothing is measured. */
	readonly metrics?: StorageMetrics | undefined;
	/** Returns the write interceptor. Called at each write, because the feature that provides the interceptor is created after the storage. */
	readonly interceptor?: () => WriteInterceptor | undefined;
}

type ClaimQuery<E> = { readonly where: Where<E>; readonly orderBy?: readonly Order<E>[]; readonly limit: number };

/**
 * The storage of an engine: passes each call to the storage plugin, and calls the hooks of the engine. Claims are not intercepted, because
 * they only assign work to a node.
 */
export class EngineStorage implements Storage {
	/** Undefined if the plugin lacks the method, even before it has started, because callers check for the method. */
	declare readonly now?: () => Promise<number>;
	declare readonly compact?: () => Promise<boolean>;
	readonly #source: StorageSource;
	readonly #metrics: StorageMetrics | undefined;
	readonly #interceptor: () => WriteInterceptor | undefined;

	constructor(source: StorageSource, { metrics, interceptor = () => undefined }: StorageHooks) {
		this.#source = source;
		this.#metrics = metrics;
		this.#interceptor = interceptor;
		if (source.current.now !== undefined) this.now = () => (source.current as Required<Storage>).now();
		if (source.current.compact !== undefined) this.compact = () => (source.current as Required<Storage>).compact();
	}

	get capabilities(): Storage["capabilities"] {
		return this.#source.current.capabilities;
	}

	insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void> {
		const operation = toInsert(kind, entities);
		const intercepted = this.#intercept(kind)?.write([operation]);
		return intercepted ?? this.#measured("insert", this.#source.current.insert(kind, entities), [operation]);
	}

	get<K extends EntityKind>(kind: K, id: string): Promise<EntityMap[K] | undefined> {
		return this.#measured("get", this.#source.current.get(kind, id));
	}

	find<K extends EntityKind>(kind: K, query: Query<EntityMap[K]>): Promise<EntityMap[K][]> {
		return this.#measured("find", this.#source.current.find(kind, query));
	}

	count<K extends EntityKind>(kind: K, where: Where<EntityMap[K]>, limit?: number): Promise<number> {
		const { current } = this.#source;
		return this.#measured("count", limit === undefined ? current.count(kind, where) : current.count(kind, where, limit));
	}

	distinct<K extends EntityKind, F extends keyof EntityMap[K] & string>(
		kind: K,
		field: F,
		where?: Where<EntityMap[K]>,
	): Promise<NonNullable<EntityMap[K][F]>[]> {
		return this.#measured("distinct", this.#source.current.distinct(kind, field, where));
	}

	update<K extends EntityKind>(
		...[kind, id, patch, expected]: [kind: K, id: string, patch: Patch<EntityMap[K]>, expected?: Where<EntityMap[K]>]
	): Promise<EntityMap[K] | undefined> {
		const intercepted = this.#intercept(kind)?.update(kind, id, { patch, expected });
		return intercepted ?? this.#measured("update", this.#source.current.update(kind, id, patch, expected));
	}

	claim<K extends EntityKind>(kind: K, query: ClaimQuery<EntityMap[K]>, patch: Patch<EntityMap[K]>): Promise<EntityMap[K][]> {
		return this.#measured("claim", this.#source.current.claim(kind, query, patch));
	}

	remove<K extends EntityKind>(kind: K, query: { readonly where: Where<EntityMap[K]>; readonly limit?: number }): Promise<number> {
		return this.#intercept(kind)?.remove(kind, query) ?? this.#measured("remove", this.#source.current.remove(kind, query));
	}

	write(operations: readonly WriteOperation[]): Promise<void> {
		const interceptor = this.#interceptor();
		const isIntercepted = interceptor !== undefined && operations.some((operation) => interceptor.intercepts(kindOfOperation(operation)));
		return isIntercepted ? interceptor.write(operations, (all) => this.#write(all)) : this.#write(operations);
	}

	#write(operations: readonly WriteOperation[]): Promise<void> {
		return this.#measured("write", this.#source.current.write(operations), operations);
	}

	/** Returns the methods that make an intercepted change of this kind of records; undefined if the kind is not intercepted. */
	#intercept(kind: EntityKind): InterceptedWrites | undefined {
		const interceptor = this.#interceptor();
		if (interceptor?.intercepts(kind) !== true) return undefined;
		return new InterceptedWrites(this, (operations) => interceptor.write(operations, (all) => this.#write(all)));
	}

	#measured<T>(method: string, statement: Promise<T>, operations?: readonly WriteOperation[]): Promise<T> {
		return this.#metrics === undefined ? statement : this.#metrics.measure(method, statement, operations);
	}
}

/** Returns the kind of records that an operation changes. */
export function kindOfOperation(operation: WriteOperation): EntityKind {
	if ("insert" in operation) return operation.insert;
	return "update" in operation ? operation.update : operation.remove;
}

/** Returns the operation that inserts records. The cast is needed because TypeScript cannot type an operation of a generic kind. */
function toInsert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): WriteOperation {
	return { insert: kind, entities } as unknown as WriteOperation;
}

/** Makes single changes through the interceptor's `write`. Each method has the same result as the storage method of the same name. */
class InterceptedWrites {
	readonly #storage: Pick<Storage, "get" | "find" | "count">;
	/** Passes operations through the interceptor. */
	readonly write: Storage["write"];

	constructor(storage: Pick<Storage, "get" | "find" | "count">, write: Storage["write"]) {
		this.#storage = storage;
		this.write = write;
	}

	async update<K extends EntityKind>(
		kind: K,
		id: string,
		{ patch, expected }: { readonly patch: object; readonly expected: object | undefined },
	): Promise<EntityMap[K] | undefined> {
		try {
			await this.write([{ update: kind, id, patch, ...(expected !== undefined && { expected }) } as unknown as WriteOperation]);
		} catch (error) {
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
			const isAsExpected = (await this.#storage.count(kind, { ...expected, id } as Where<EntityMap[K]>, 1)) > 0;
			// If the record is as expected, the conflict has another cause, such as a duplicate unique key.
			if (isAsExpected) throw error;
			return undefined;
		}
		return this.#storage.get(kind, id);
	}

	async remove<K extends EntityKind>(kind: K, { where, limit }: Pick<Query<EntityMap[K]>, "where" | "limit">): Promise<number> {
		let removedCount = 0;
		for (let failedAttempts = 0; failedAttempts < maxRemovalAttempts; ) {
			const batchSize = Math.min(maxRemovalBatch, limit === undefined ? maxRemovalBatch : limit - removedCount);
			if (batchSize <= 0) return removedCount;
			const batch = await this.#storage.find(kind, { ...(where && { where }), limit: batchSize });
			const ids = batch.map(({ id }) => id);
			if (ids.length === 0) return removedCount;
			try {
				await this.write(toRemoval(kind, ids));
				removedCount += ids.length;
				if (ids.length < batchSize) return removedCount;
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				failedAttempts += 1;
			}
		}
		throw new SvcError("SVC_CONFLICT", `${kind}: the records to remove are being changed concurrently; try again`);
	}
}

/**
 * Returns the operations that remove records. An empty update of each record makes the write fail if another caller has removed the record.
 * Otherwise both callers would count it.
 */
function toRemoval(kind: EntityKind, ids: readonly string[]): readonly WriteOperation[] {
	const existenceChecks = ids.map((id) => ({ update: kind, id, patch: {} }) as unknown as WriteOperation);
	return [...existenceChecks, { remove: kind, where: { id: { in: ids } } } as unknown as WriteOperation];
}
