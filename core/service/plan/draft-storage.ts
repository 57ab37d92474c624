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
} from "../../contract/index.ts";

type Entity = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * Stands for the storage while a start is drafted: begins with copies of what is stored, and takes what the start would write. It
 * knows the comparisons that this needs and refuses others, so that none is silently taken for true.
 */
export class DraftStorage implements Storage {
	readonly capabilities = {};
	readonly #kinds = new Map<EntityKind, Map<string, Entity>>();

	async insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void> {
		for (const entity of entities) this.#insert(kind, copy(entity as unknown as Entity));
	}

	async get<K extends EntityKind>(kind: K, id: string): Promise<EntityMap[K] | undefined> {
		return this.#all(kind).get(id) as EntityMap[K] | undefined;
	}

	async find<K extends EntityKind>(kind: K, { where = {}, orderBy = [], limit, offset = 0 }: Query<EntityMap[K]>): Promise<EntityMap[K][]> {
		const found = this.#select(kind, where);
		for (const [field, direction] of [...orderBy].reverse()) {
			found.sort((one, other) => (String(one[field]) < String(other[field]) ? -1 : 1) * (direction === "asc" ? 1 : -1));
		}
		return copy(found.slice(offset, limit === undefined ? undefined : offset + limit)) as unknown as EntityMap[K][];
	}

	async count<K extends EntityKind>(kind: K, where: Where<EntityMap[K]>): Promise<number> {
		return this.#select(kind, where).length;
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
		this.#all(kind).set(id, patched);
		return patched as unknown as EntityMap[K];
	}

	async remove<K extends EntityKind>(kind: K, { where }: { readonly where: Where<EntityMap[K]> }): Promise<number> {
		const found = this.#select(kind, where);
		for (const { id } of found) this.#all(kind).delete(id);
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

	#insert(kind: EntityKind, entity: Entity): void {
		const { unique = [] }: { readonly unique?: readonly (readonly string[])[] } = entityKinds[kind];
		for (const other of this.#all(kind).values()) {
			const taken = unique.find((fields) => fields.every((field) => entity[field] !== null && entity[field] === other[field]));
			if (taken !== undefined) throw new SvcError("SVC_CONFLICT", `${kind}: ${taken.join(", ")} is taken`);
		}
		this.#all(kind).set(entity.id, entity);
	}

	#select(kind: EntityKind, where: object): Entity[] {
		const conditions = Object.entries(where);
		return [...this.#all(kind).values()].filter((entity) => conditions.every(([field, condition]) => holds(entity[field], condition)));
	}

	#all(kind: EntityKind): Map<string, Entity> {
		const known = this.#kinds.get(kind) ?? new Map<string, Entity>();
		this.#kinds.set(kind, known);
		return known;
	}
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
