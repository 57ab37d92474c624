import {
	type EntityKind,
	type EntityMap,
	entityKinds,
	type Order,
	type Patch,
	type Query,
	type Storage,
	SvcError,
	type Where,
	type WriteOperation,
} from "../../core/contract/index.ts";
import { compareScalars, type Scalar } from "./compare.ts";
import { assertScalarField, type Conditions, type Row, toRowTest } from "./conditions.ts";
import { patchRow, toEntity, toRow } from "./row-conversion.ts";
import { Table } from "./table.ts";

type Ordering = readonly (readonly [field: string, direction: "asc" | "desc"])[];
type Change = { readonly table: Table; readonly before: Row | undefined; readonly after: Row | undefined };

/** Reference implementation of a storage, in memory. Every method runs synchronously, so it is atomic for concurrent callers. */
export class MemoryStorage implements Storage {
	readonly capabilities = { shared: false, durable: false } as const;
	readonly #tables = new Map<EntityKind, Table>();
	/** Changes of the write in progress, which are undone if the write fails. */
	#changes: Change[] = [];

	async insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void> {
		this.#atomically(() => this.#insert(kind, entities));
	}

	async get<K extends EntityKind>(kind: K, id: string): Promise<EntityMap[K] | undefined> {
		const row = this.#table(kind).get(id);
		return row && toEntity(kind, row);
	}

	async find<K extends EntityKind>(kind: K, query: Query<EntityMap[K]>): Promise<EntityMap[K][]> {
		const { where = {}, orderBy = [], limit = Number.POSITIVE_INFINITY, offset = 0, fields } = query;
		const rows = this.#select(kind, where, orderBy).slice(offset, offset + limit);
		return rows.map((row) => toEntity(kind, row, fields));
	}

	async count<K extends EntityKind>(kind: K, where: Where<EntityMap[K]>, limit = Number.POSITIVE_INFINITY): Promise<number> {
		return Math.min(limit, this.#table(kind).select(where as Conditions).length);
	}

	async distinct<K extends EntityKind, F extends keyof EntityMap[K] & string>(
		kind: K,
		field: F,
		where: Where<EntityMap[K]> = {},
	): Promise<NonNullable<EntityMap[K][F]>[]> {
		assertScalarField(kind, field);
		const values = new Set<Scalar>(
			this.#table(kind)
				.select(where as Conditions)
				.map((row) => row[field] ?? null),
		);
		values.delete(null);
		return [...values].sort(compareScalars) as NonNullable<EntityMap[K][F]>[];
	}

	async update<K extends EntityKind>(
		kind: K,
		id: string,
		patch: Patch<EntityMap[K]>,
		expected: Where<EntityMap[K]> = {},
	): Promise<EntityMap[K] | undefined> {
		const row = this.#atomically(() => this.#update(kind, id, patch, expected as Conditions));
		return row && toEntity(kind, row);
	}

	async claim<K extends EntityKind>(
		kind: K,
		query: { readonly where: Where<EntityMap[K]>; readonly orderBy?: readonly Order<EntityMap[K]>[]; readonly limit: number },
		patch: Patch<EntityMap[K]>,
	): Promise<EntityMap[K][]> {
		const rows = this.#select(kind, query.where, query.orderBy ?? []).slice(0, query.limit);
		const claimed = this.#atomically(() => rows.map((row) => this.#patch(kind, row, patch)));
		return claimed.map((row) => toEntity(kind, row));
	}

	async remove<K extends EntityKind>(kind: K, query: { readonly where: Where<EntityMap[K]>; readonly limit?: number }): Promise<number> {
		return this.#atomically(() => this.#remove(kind, query.where as Conditions, query.limit));
	}

	async write(operations: readonly WriteOperation[]): Promise<void> {
		this.#atomically(() => {
			for (const operation of operations) this.#run(operation);
		});
	}

	#run(operation: WriteOperation): void {
		if ("insert" in operation) this.#insert(operation.insert, operation.entities);
		else if ("remove" in operation) this.#remove(operation.remove, operation.where as Conditions, undefined);
		else this.#updateOrThrow(operation.update, operation.id, operation.patch, (operation.expected ?? {}) as Conditions);
	}

	#updateOrThrow(kind: EntityKind, id: string, patch: object, expected: Conditions): void {
		if (this.#update(kind, id, patch, expected)) return;
		throw new SvcError("SVC_CONFLICT", `${kind} "${id}" does not exist or is no longer as expected`, { facts: { conflict_id: id } });
	}

	#insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): void {
		for (const entity of entities) this.#change(kind, undefined, toRow(kind, entity));
	}

	#update(kind: EntityKind, id: string, patch: object, expected: Conditions): Row | undefined {
		const row = this.#table(kind).get(id);
		return row && toRowTest(kind, expected)(row) ? this.#patch(kind, row, patch) : undefined;
	}

	#patch(kind: EntityKind, row: Row, patch: object): Row {
		const patched = patchRow(kind, row, patch);
		this.#change(kind, row, patched);
		return patched;
	}

	#remove(kind: EntityKind, where: Conditions, limit = Number.POSITIVE_INFINITY): number {
		const rows = this.#select(kind, where, []).slice(0, limit);
		for (const row of rows) this.#change(kind, row, undefined);
		return rows.length;
	}

	#select(kind: EntityKind, where: object, orderBy: Ordering): Row[] {
		for (const [field] of orderBy) assertScalarField(kind, field);
		const ordering: Ordering = [...orderBy, ["id", orderBy.at(-1)?.[1] ?? "asc"]];
		return this.#table(kind)
			.select(where as Conditions)
			.sort((left, right) => compareRows(ordering, left, right));
	}

	#change(kind: EntityKind, before: Row | undefined, after: Row | undefined): void {
		const table = this.#table(kind);
		table.replace(before, after);
		this.#changes.push({ table, before, after });
	}

	#atomically<T>(run: () => T): T {
		try {
			return run();
		} catch (error) {
			for (const { table, before, after } of this.#changes.reverse()) table.replace(after, before);
			throw error;
		} finally {
			this.#changes = [];
		}
	}

	#table(kind: EntityKind): Table {
		let table = this.#tables.get(kind);
		if (!table) {
			if (!Object.hasOwn(entityKinds, kind)) throw new TypeError(`kind "${kind}" does not exist`);
			table = new Table(kind);
			this.#tables.set(kind, table);
		}
		return table;
	}
}

function compareRows(ordering: Ordering, left: Row, right: Row): number {
	for (const [field, direction] of ordering) {
		const difference = compareScalars(left[field] ?? null, right[field] ?? null);
		if (difference !== 0) return direction === "asc" ? difference : -difference;
	}
	return 0;
}
