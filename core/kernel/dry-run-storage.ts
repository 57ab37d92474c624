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
import { Breath } from "../lib/event-loop.ts";

/**
 * Stands for the storage while a start is drafted: begins with copies of what is stored, and takes what the start would write. It
 * knows the comparisons that this needs and refuses others, so that none is silently taken for true.
 */
export class DraftStorage implements Storage {
	readonly capabilities = {};
	readonly #kinds = new Map<EntityKind, DraftTable>();

	async insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void> {
		const breath = new Breath();
		for (const entity of entities) {
			this.#insert(kind, copy(entity as unknown as DraftEntity));
			await breath.take();
		}
	}

	async get<K extends EntityKind>(kind: K, id: string): Promise<EntityMap[K] | undefined> {
		const [found] = this.#table(kind).candidates({ id });
		return found === undefined ? undefined : (copy(found) as unknown as EntityMap[K]);
	}

	async find<K extends EntityKind>(kind: K, { where = {}, orderBy = [], limit, offset = 0 }: Query<EntityMap[K]>): Promise<EntityMap[K][]> {
		const found = this.#select(kind, where);
		for (const [field, direction] of [...orderBy].reverse()) {
			found.sort((one, other) => compare(String(one[field]), String(other[field])) * (direction === "asc" ? 1 : -1));
		}
		const breath = new Breath();
		const copies: EntityMap[K][] = [];
		for (const entity of found.slice(offset, limit === undefined ? undefined : offset + limit)) {
			copies.push(copy(entity) as unknown as EntityMap[K]);
			await breath.take();
		}
		return copies;
	}

	/** Everything of a kind, not to be changed. */
	all<K extends EntityKind>(kind: K): readonly EntityMap[K][] {
		return this.#table(kind).all() as unknown as readonly EntityMap[K][];
	}

	async count<K extends EntityKind>(kind: K, where: Where<EntityMap[K]>, limit = Number.POSITIVE_INFINITY): Promise<number> {
		return Math.min(limit, this.#select(kind, where).length);
	}

	async distinct(): Promise<never> {
		throw unknown("distinct");
	}

	async claim(): Promise<never> {
		throw unknown("claim");
	}

	async update<K extends EntityKind>(kind: K, id: string, patch: Patch<EntityMap[K]>, expected: Where<EntityMap[K]> = {}) {
		const [known] = this.#select(kind, { ...expected, id });
		if (known === undefined) return undefined;
		const patched = { ...known, ...copy(patch as object) };
		this.#table(kind).put(patched);
		return copy(patched) as unknown as EntityMap[K];
	}

	async remove<K extends EntityKind>(kind: K, { where }: { readonly where: Where<EntityMap[K]> }): Promise<number> {
		const found = this.#select(kind, where);
		for (const { id } of found) this.#table(kind).drop(id);
		return found.length;
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

	#insert(kind: EntityKind, entity: DraftEntity): void {
		if (this.#table(kind).candidates({ id: entity.id }).length > 0) throw new SvcError("SVC_CONFLICT", `${kind}: id is taken`);
		this.#table(kind).put(entity);
	}

	#select(kind: EntityKind, where: object): DraftEntity[] {
		const conditions = Object.entries(where);
		const candidates = this.#table(kind).candidates(where as Readonly<Record<string, unknown>>);
		return candidates.filter((entity) => conditions.every(([field, condition]) => holds(entity[field], condition)));
	}

	#table(kind: EntityKind): DraftTable {
		const known = this.#kinds.get(kind) ?? new DraftTable(kind);
		this.#kinds.set(kind, known);
		return known;
	}
}

function compare(one: string, other: string): number {
	if (one === other) return 0;
	return one < other ? -1 : 1;
}

function holds(value: unknown, condition: unknown): boolean {
	if (typeof condition !== "object" || condition === null) return value === condition;
	return Object.entries(condition).every(([comparison, operand]) => {
		if (comparison === "in") return (operand as readonly unknown[]).includes(value);
		if (comparison === "not") return value !== operand;
		throw unknown(comparison);
	});
}

function copy<T extends object>(value: T): T {
	return structuredClone(value);
}

function unknown(what: string): TypeError {
	return new TypeError(`a drafted start does not know "${what}"`);
}

type DraftEntity = Readonly<Record<string, unknown>> & { readonly id: string };

/** Entities of one kind, found by their unique keys without going through all: a pack may have thousands of actions. */
class DraftTable {
	readonly #kind: EntityKind;
	readonly #keys: readonly (readonly string[])[];
	readonly #entities = new Map<string, DraftEntity>();
	/** For each unique key, ids by its values. */
	readonly #byKey: readonly Map<string, string>[];

	constructor(kind: EntityKind) {
		const { unique = [] }: { readonly unique?: readonly (readonly string[])[] } = entityKinds[kind];
		this.#kind = kind;
		this.#keys = unique;
		this.#byKey = unique.map(() => new Map());
	}

	/** In the order in which they came. */
	all(): readonly DraftEntity[] {
		return [...this.#entities.values()];
	}

	/** `SVC_CONFLICT` where another entity has one of its keys. */
	put(entity: DraftEntity): void {
		const values = this.#keys.map((fields) => toKey(fields, entity));
		for (const [index, value] of values.entries()) {
			const owner = value === undefined ? undefined : this.#byKey[index]?.get(value);
			if (owner !== undefined && owner !== entity.id)
				throw new SvcError("SVC_CONFLICT", `${this.#kind}: ${this.#keys[index]?.join(", ")} is taken`);
		}
		this.drop(entity.id, true);
		this.#entities.set(entity.id, entity);
		for (const [index, value] of values.entries()) if (value !== undefined) this.#byKey[index]?.set(value, entity.id);
	}

	/** @param isReplaced its place among the others is kept */
	drop(id: string, isReplaced = false): void {
		const known = this.#entities.get(id);
		if (known === undefined) return;
		for (const [index, fields] of this.#keys.entries()) this.#byKey[index]?.delete(toKey(fields, known) ?? "");
		if (!isReplaced) this.#entities.delete(id);
	}

	/** Those that conditions can hold for, and perhaps others. */
	candidates(where: Readonly<Record<string, unknown>>): readonly DraftEntity[] {
		if (typeof where["id"] === "string") return this.#only(where["id"]);
		for (const [index, fields] of this.#keys.entries()) {
			if (!fields.every((field) => typeof where[field] === "string")) continue;
			return this.#only(this.#byKey[index]?.get(toKey(fields, where) ?? ""));
		}
		return this.all();
	}

	#only(id: string | undefined): readonly DraftEntity[] {
		const found = id === undefined ? undefined : this.#entities.get(id);
		return found === undefined ? [] : [found];
	}
}

/** Undefined where a field is null: such keys collide with none. */
function toKey(fields: readonly string[], values: Readonly<Record<string, unknown>>): string | undefined {
	const parts = fields.map((field) => values[field] ?? null);
	return parts.includes(null) ? undefined : JSON.stringify(parts);
}
