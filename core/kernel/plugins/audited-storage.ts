import {
	type EntityKind,
	type EntityMap,
	isSvcError,
	type Query,
	type Storage,
	SvcError,
	type Where,
	type WriteOperation,
} from "../../contract/index.ts";

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
	/** Returns true if changes of this kind of records must be intercepted now. Called before every write, so it must be fast. */
	intercepts(kind: EntityKind): boolean;
	/** Stores the given operations and those that the interceptor adds by one call of `store`, all or none. */
	write(operations: readonly WriteOperation[], store: Storage["write"]): Promise<void>;
	/** Calls `work` for a run of a built-in action, and intercepts its changes. Rejects as `work` does. Default: intercepts nothing. */
	duringRun?<T>(run: InterceptedRun, work: () => Promise<T>): Promise<T>;
}

/** Maximum number of records that one write removes. */
const maxRemovalBatch = 500;
/** Maximum number of attempts to remove records while other callers change them. */
const maxRemovalAttempts = 10;

/**
 * Returns the storage with changes passed to a write interceptor, if it watches their kind. Claims are not intercepted: they only assign
 * work to a node.
 *
 * @param current returns the interceptor; called at each write, because the feature that provides it is created later
 */
export function withWriteInterceptor(storage: Storage, current: () => WriteInterceptor | undefined): Storage {
	const interceptorFor = (kind: EntityKind) => {
		const interceptor = current();
		return interceptor?.intercepts(kind) === true ? new InterceptedWrites(storage, interceptor) : undefined;
	};
	return {
		get capabilities() {
			return storage.capabilities;
		},
		insert: (kind, entities) => interceptorFor(kind)?.write([toInsert(kind, entities)]) ?? storage.insert(kind, entities),
		update: (kind, id, patch, expected) =>
			interceptorFor(kind)?.update(kind, id, { patch, expected }) ?? storage.update(kind, id, patch, expected),
		remove: (kind, query) => interceptorFor(kind)?.remove(kind, query) ?? storage.remove(kind, query),
		write(operations) {
			const interceptedKind = operations.map(kindOfOperation).find((kind) => interceptorFor(kind) !== undefined);
			return (interceptedKind && interceptorFor(interceptedKind)?.write(operations)) ?? storage.write(operations);
		},
		get: (kind, id) => storage.get(kind, id),
		find: (kind, query) => storage.find(kind, query),
		count: (kind, where, limit) => storage.count(kind, where, limit),
		distinct: (kind, field, where) => storage.distinct(kind, field, where),
		claim: (kind, query, patch) => storage.claim(kind, query, patch),
		// Optional methods must be missing here if the storage lacks them, even before it has started, because callers check for them.
		get now() {
			return storage.now === undefined ? undefined : () => storage.now?.();
		},
		get compact() {
			return storage.compact === undefined ? undefined : () => storage.compact?.();
		},
	} as Storage;
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

/** Single changes made by `write`, so that they can be intercepted. Each has the same result as the storage method of its name. */
class InterceptedWrites {
	readonly #storage: Storage;
	readonly #interceptor: WriteInterceptor;

	constructor(storage: Storage, interceptor: WriteInterceptor) {
		this.#storage = storage;
		this.#interceptor = interceptor;
	}

	write(operations: readonly WriteOperation[]): Promise<void> {
		return this.#interceptor.write(operations, (all) => this.#storage.write(all));
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
		throw new SvcError("SVC_CONFLICT", `${kind}: what is to be removed is being changed by others; try again`);
	}
}

/**
 * Returns the operations that remove records. An empty update of each makes the write fail if another caller has removed one meanwhile.
 * Otherwise both callers would count it.
 */
function toRemoval(kind: EntityKind, ids: readonly string[]): readonly WriteOperation[] {
	const existenceChecks = ids.map((id) => ({ update: kind, id, patch: {} }) as unknown as WriteOperation);
	return [...existenceChecks, { remove: kind, where: { id: { in: ids } } } as unknown as WriteOperation];
}
