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

/** An execution that changes what people decide about, on behalf of whoever asked for it. */
export interface WitnessedRun {
	readonly user: string;
	readonly execution_id: string;
	readonly action_ref: string;
	/** Kinds of what it changes that is to be seen. */
	readonly kinds: readonly EntityKind[];
}

/** Sees changes, and adds to the same write what must be stored with them. */
export interface Witness {
	/** Whether a change of this kind of entities is to be seen now. Asked before every write, so it must cost next to nothing. */
	watches(kind: EntityKind): boolean;
	/** Store what is given together with what the witness adds by `store`: all or none. */
	write(operations: readonly WriteOperation[], store: Storage["write"]): Promise<void>;
	/** Do the work of an execution of the service's own, and see what it changes. Throws what `work` throws. Default: nothing is seen. */
	during?<T>(run: WitnessedRun, work: () => Promise<T>): Promise<T>;
}

/** Entities that are removed with one write. */
const removedAtOnce = 500;
/** How often what is to be removed is looked up again, as somebody else has removed some of it. */
const mostLooks = 10;

/** The storage, whose changes go past a witness where it watches. Claims do not: they take on work, and change nothing that somebody decided. */
export function witnessed(storage: Storage, current: () => Witness | undefined): Storage {
	const watching = (kind: EntityKind) => {
		const witness = current();
		return witness?.watches(kind) === true ? new WitnessedChanges(storage, witness) : undefined;
	};
	return {
		get capabilities() {
			return storage.capabilities;
		},
		insert: (kind, entities) => watching(kind)?.write([toInsert(kind, entities)]) ?? storage.insert(kind, entities),
		update: (kind, id, patch, expected) =>
			watching(kind)?.update(kind, id, { patch, expected }) ?? storage.update(kind, id, patch, expected),
		remove: (kind, query) => watching(kind)?.remove(kind, query) ?? storage.remove(kind, query),
		write(operations) {
			const watched = operations.map(kindOf).find((kind) => watching(kind) !== undefined);
			return (watched && watching(watched)?.write(operations)) ?? storage.write(operations);
		},
		get: (kind, id) => storage.get(kind, id),
		find: (kind, query) => storage.find(kind, query),
		count: (kind, where, limit) => storage.count(kind, where, limit),
		distinct: (kind, field, where) => storage.distinct(kind, field, where),
		claim: (kind, query, patch) => storage.claim(kind, query, patch),
		// What it cannot do must be seen to be missing, also before it has started.
		get now() {
			return storage.now === undefined ? undefined : () => storage.now?.();
		},
		get compact() {
			return storage.compact === undefined ? undefined : () => storage.compact?.();
		},
	} as Storage;
}

/** The kind of entities that an operation changes. */
export function kindOf(operation: WriteOperation): EntityKind {
	if ("insert" in operation) return operation.insert;
	return "update" in operation ? operation.update : operation.remove;
}

/** Which kind an operation is about is beyond the compiler where that is a parameter. */
function toInsert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): WriteOperation {
	return { insert: kind, entities } as unknown as WriteOperation;
}

/** Single changes as writes of several operations, with the answers that they have by themselves. */
class WitnessedChanges {
	readonly #storage: Storage;
	readonly #witness: Witness;

	constructor(storage: Storage, witness: Witness) {
		this.#storage = storage;
		this.#witness = witness;
	}

	write(operations: readonly WriteOperation[]): Promise<void> {
		return this.#witness.write(operations, (all) => this.#storage.write(all));
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
			// A key that is taken is a conflict, too.
			if (isAsExpected) throw error;
			return undefined;
		}
		return this.#storage.get(kind, id);
	}

	async remove<K extends EntityKind>(kind: K, { where, limit }: Pick<Query<EntityMap[K]>, "where" | "limit">): Promise<number> {
		let removed = 0;
		for (let looks = 0; looks < mostLooks; ) {
			const rest = Math.min(removedAtOnce, limit === undefined ? removedAtOnce : limit - removed);
			if (rest <= 0) return removed;
			const found = await this.#storage.find(kind, { ...(where && { where }), limit: rest });
			const ids = found.map(({ id }) => id);
			if (ids.length === 0) return removed;
			try {
				await this.write(toRemoval(kind, ids));
				removed += ids.length;
				if (ids.length < rest) return removed;
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				looks += 1;
			}
		}
		throw new SvcError("SVC_CONFLICT", `${kind}: what is to be removed is being changed by others; try again`);
	}
}

/** Nothing is removed where somebody else has removed one of them meanwhile: two callers would count it. */
function toRemoval(kind: EntityKind, ids: readonly string[]): readonly WriteOperation[] {
	const present = ids.map((id) => ({ update: kind, id, patch: {} }) as unknown as WriteOperation);
	return [...present, { remove: kind, where: { id: { in: ids } } } as unknown as WriteOperation];
}
