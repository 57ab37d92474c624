import {
	type EntityKind,
	type EntityMap,
	entityKinds,
	type Patch,
	type Query,
	type Storage,
	SvcError,
	type Where,
	type WriteOperation,
} from "../contract/index.ts";
import { EventLoopYield } from "../lib/event-loop.ts";

/**
 * Storage in memory for a dry run of an engine start. The caller first inserts copies of the stored records; then the storage receives the
 * writes of the start. It supports only the methods and comparisons that a start needs, and throws for all others.
 */
export class DryRunStorage implements Storage {
	readonly capabilities = {};
	readonly #tables = new Map<EntityKind, DryRunTable>();

	async insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void> {
		const loopYield = new EventLoopYield();
		for (const entity of entities) {
			if (this.#table(kind).candidates({ id: entity.id }).length > 0) throw new SvcError("SVC_CONFLICT", `${kind}: id is taken`);
			this.#table(kind).put(structuredClone(entity as unknown as DryRunEntity));
			await loopYield.yieldIfDue();
		}
	}

	async get<K extends EntityKind>(kind: K, id: string): Promise<EntityMap[K] | undefined> {
		const [entity] = this.#table(kind).candidates({ id });
		return entity === undefined ? undefined : (structuredClone(entity) as unknown as EntityMap[K]);
	}

	async find<K extends EntityKind>(kind: K, { where = {}, orderBy = [], limit, offset = 0 }: Query<EntityMap[K]>): Promise<EntityMap[K][]> {
		const entities = this.#select(kind, where);
		for (const [field, direction] of [...orderBy].reverse()) {
			entities.sort((one, other) => compare(String(one[field]), String(other[field])) * (direction === "asc" ? 1 : -1));
		}
		const loopYield = new EventLoopYield();
		const copies: EntityMap[K][] = [];
		for (const entity of entities.slice(offset, limit === undefined ? undefined : offset + limit)) {
			copies.push(structuredClone(entity) as unknown as EntityMap[K]);
			await loopYield.yieldIfDue();
		}
		return copies;
	}

	/** Returns all records of a kind, without copying them. The caller must not change them. */
	all<K extends EntityKind>(kind: K): readonly EntityMap[K][] {
		return this.#table(kind).all() as unknown as readonly EntityMap[K][];
	}

	async count<K extends EntityKind>(kind: K, where: Where<EntityMap[K]>, limit = Number.POSITIVE_INFINITY): Promise<number> {
		return Math.min(limit, this.#select(kind, where).length);
	}

	async distinct(): Promise<never> {
		throw toUnsupportedError("distinct");
	}

	async claim(): Promise<never> {
		throw toUnsupportedError("claim");
	}

	async update<K extends EntityKind>(kind: K, id: string, patch: Patch<EntityMap[K]>, expected: Where<EntityMap[K]> = {}) {
		const [entity] = this.#select(kind, { ...expected, id });
		if (entity === undefined) return undefined;
		const patched = { ...entity, ...structuredClone(patch as object) };
		this.#table(kind).put(patched);
		return structuredClone(patched) as unknown as EntityMap[K];
	}

	async remove<K extends EntityKind>(kind: K, { where }: { readonly where: Where<EntityMap[K]> }): Promise<number> {
		const entities = this.#select(kind, where);
		for (const { id } of entities) this.#table(kind).drop(id);
		return entities.length;
	}

	async write(operations: readonly WriteOperation[]): Promise<void> {
		for (const operation of operations) {
			if ("insert" in operation) await this.insert(operation.insert, operation.entities);
			else if ("remove" in operation) await this.remove(operation.remove, { where: operation.where as object });
			else if ((await this.update(operation.update, operation.id, operation.patch as object, operation.expected as object)) === undefined) {
				throw new SvcError("SVC_CONFLICT", `${operation.update} "${operation.id}" does not exist or is no longer as expected`);
			}
		}
	}

	#select(kind: EntityKind, where: object): DryRunEntity[] {
		const conditions = Object.entries(where);
		const candidates = this.#table(kind).candidates(where as Readonly<Record<string, unknown>>);
		return candidates.filter((entity) => conditions.every(([field, condition]) => matches(entity[field], condition)));
	}

	#table(kind: EntityKind): DryRunTable {
		const table = this.#tables.get(kind) ?? new DryRunTable(kind);
		this.#tables.set(kind, table);
		return table;
	}
}

function compare(one: string, other: string): number {
	if (one === other) return 0;
	return one < other ? -1 : 1;
}

/** Returns true if a value satisfies a condition. Throws if the condition has an unsupported comparison. */
function matches(value: unknown, condition: unknown): boolean {
	if (typeof condition !== "object" || condition === null) return value === condition;
	return Object.entries(condition).every(([comparison, operand]) => {
		if (comparison === "in") return (operand as readonly unknown[]).includes(value);
		if (comparison === "not") return value !== operand;
		throw toUnsupportedError(comparison);
	});
}

function toUnsupportedError(what: string): TypeError {
	return new TypeError(`a dry run does not support "${what}"`);
}

type DryRunEntity = Readonly<Record<string, unknown>> & { readonly id: string };

/** Records of one kind, indexed by id and unique keys, because a pack may have thousands of actions. */
class DryRunTable {
	readonly #kind: EntityKind;
	/** Field names of each unique key. */
	readonly #uniqueKeys: readonly (readonly string[])[];
	readonly #entities = new Map<string, DryRunEntity>();
	/** Ids of the records, by the values of their unique keys (`toKey`). */
	readonly #idsByKey = new Map<string | undefined, string>();

	constructor(kind: EntityKind) {
		const { unique = [] }: { readonly unique?: readonly (readonly string[])[] } = entityKinds[kind];
		this.#kind = kind;
		this.#uniqueKeys = unique;
	}

	/** Returns all records, in the order of their insertion. */
	all(): readonly DryRunEntity[] {
		return [...this.#entities.values()];
	}

	/** Inserts or replaces a record. Throws `SVC_CONFLICT` if another record has the same value of a unique key. */
	put(entity: DryRunEntity): void {
		for (const fields of this.#uniqueKeys) {
			const ownerId = this.#idsByKey.get(toKey(fields, entity)) ?? entity.id;
			if (ownerId !== entity.id) throw new SvcError("SVC_CONFLICT", `${this.#kind}: ${fields.join(", ")} is taken`);
		}
		this.drop(entity.id, true);
		this.#entities.set(entity.id, entity);
		for (const fields of this.#uniqueKeys) {
			const key = toKey(fields, entity);
			if (key !== undefined) this.#idsByKey.set(key, entity.id);
		}
	}

	/**
	 * Removes a record, if it exists.
	 *
	 * @param isReplaced true if a new version of the record is stored next; it keeps the position of the record in the order
	 */
	drop(id: string, isReplaced = false): void {
		const entity = this.#entities.get(id);
		if (entity === undefined) return;
		for (const fields of this.#uniqueKeys) this.#idsByKey.delete(toKey(fields, entity));
		if (!isReplaced) this.#entities.delete(id);
	}

	/** Returns a superset of the records that satisfy the conditions. */
	candidates(where: Readonly<Record<string, unknown>>): readonly DryRunEntity[] {
		if (typeof where["id"] === "string") return this.#toList(where["id"]);
		const key = this.#uniqueKeys.find((fields) => fields.every((field) => typeof where[field] === "string"));
		return key === undefined ? this.all() : this.#toList(this.#idsByKey.get(toKey(key, where)));
	}

	#toList(id: string | undefined): readonly DryRunEntity[] {
		const entity = id === undefined ? undefined : this.#entities.get(id);
		return entity === undefined ? [] : [entity];
	}
}

/** Returns the names and values of a unique key as a string; undefined if one of its fields is null, because null never conflicts. */
function toKey(fields: readonly string[], values: Readonly<Record<string, unknown>>): string | undefined {
	const parts = fields.map((field) => [field, values[field] ?? null]);
	return parts.some(([, value]) => value === null) ? undefined : JSON.stringify(parts);
}
