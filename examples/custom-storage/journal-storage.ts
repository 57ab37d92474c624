import { resolve } from "node:path";
import {
	appendedValueOf,
	defineStorage,
	type EntityKind,
	type EntityMap,
	entityKinds,
	type FieldType,
	type Order,
	type Patch,
	type PluginContext,
	parseJson,
	type Query,
	type Storage,
	SvcError,
	stringifyJson,
	type Where,
	type WriteOperation,
} from "svc-automation/contract";
import { assertAskable, compare, type Row, sort, toTest } from "./conditions.ts";
import { Journal } from "./journal.ts";

/** New state of an entity; null if it was removed. A line of the journal is a list of changes that are applied together. */
type Change = readonly [kind: EntityKind, id: string, after: Row | null];
type Shape = { readonly fields: Readonly<Record<string, FieldType>>; readonly unique?: readonly (readonly string[])[] };

/** Keeps all records in memory, and writes each change to a journal in the data directory. For one process. */
export const journalStorage = defineStorage("journal", ({ file = "svc.journal" }: { file?: string }) => new JournalStorage(file), {
	contract: 1,
});

class JournalStorage implements Storage {
	readonly capabilities = { durable: true };
	readonly #file: string;
	readonly #rows = new Map<EntityKind, Map<string, Row>>();
	/** Ids of entities, by unique key. */
	readonly #owners = new Map<string, string>();
	/** Changes of the current write, with the state before. */
	#changes: { readonly before: Change; readonly after: Change }[] = [];
	#journal: Journal | undefined;

	constructor(file: string) {
		this.#file = file;
	}

	async start({ dataDirectory }: PluginContext): Promise<void> {
		const path = resolve(dataDirectory, this.#file);
		for (const line of await Journal.read(path)) {
			for (const [kind, id, row] of parseJson(line) as unknown as Change[]) this.#apply([kind, id, row && toCurrent(kind, row)]);
		}
		// Rewrite the journal without outdated and removed records.
		const changes = [...this.#rows].flatMap(([kind, rows]) => [...rows].map(([id, row]): Change => [kind, id, row]));
		this.#journal = await Journal.create(
			path,
			changes.map((change) => stringifyJson([change])),
		);
	}

	async stop(): Promise<void> {
		await this.#journal?.close();
		this.#journal = undefined;
	}

	async get<K extends EntityKind>(kind: K, id: string): Promise<EntityMap[K] | undefined> {
		const row = this.#table(kind).get(id);
		return row && copy(row);
	}

	async find<K extends EntityKind>(kind: K, query: Query<EntityMap[K]>): Promise<EntityMap[K][]> {
		const { where = {}, orderBy, limit = Number.POSITIVE_INFINITY, offset = 0, fields } = query;
		const rows = sort(kind, this.#select(kind, where), orderBy).slice(offset, offset + limit);
		if (fields === undefined) return rows.map((row) => copy(row));
		return rows.map((row) => copy(Object.fromEntries(["id", ...fields].map((field) => [field, row[field]]))));
	}

	async count<K extends EntityKind>(kind: K, where: Where<EntityMap[K]>, limit = Number.POSITIVE_INFINITY): Promise<number> {
		return Math.min(limit, this.#select(kind, where).length);
	}

	async distinct<K extends EntityKind, F extends keyof EntityMap[K] & string>(kind: K, field: F, where: Where<EntityMap[K]> = {}) {
		assertAskable(kind, field);
		const values = new Set(this.#select(kind, where).map((row) => row[field]));
		values.delete(null);
		return [...values].sort(compare) as NonNullable<EntityMap[K][F]>[];
	}

	insert<K extends EntityKind>(kind: K, entities: readonly EntityMap[K][]): Promise<void> {
		return this.#commit(() => this.#insert(kind, entities));
	}

	update<K extends EntityKind>(kind: K, id: string, patch: Patch<EntityMap[K]>, expected: Where<EntityMap[K]> = {}) {
		return this.#commit((): EntityMap[K] | undefined => {
			const row = this.#update(kind, id, patch, expected);
			return row && copy(row);
		});
	}

	claim<K extends EntityKind>(
		kind: K,
		query: { readonly where: Where<EntityMap[K]>; readonly orderBy?: readonly Order<EntityMap[K]>[]; readonly limit: number },
		patch: Patch<EntityMap[K]>,
	): Promise<EntityMap[K][]> {
		return this.#commit(() => {
			const rows = sort(kind, this.#select(kind, query.where), query.orderBy).slice(0, query.limit);
			return rows.map((row) => copy(this.#patch(kind, row, patch)));
		});
	}

	remove<K extends EntityKind>(kind: K, query: { readonly where: Where<EntityMap[K]>; readonly limit?: number }): Promise<number> {
		return this.#commit(() => this.#remove(kind, query.where, query.limit));
	}

	write(operations: readonly WriteOperation[]): Promise<void> {
		return this.#commit(() => {
			for (const operation of operations) {
				if ("insert" in operation) this.#insert(operation.insert, operation.entities);
				else if ("remove" in operation) this.#remove(operation.remove, operation.where);
				else if (!this.#update(operation.update, operation.id, operation.patch, operation.expected ?? {}))
					throw new SvcError("SVC_CONFLICT", `${operation.update} "${operation.id}" does not exist or is no longer as expected`);
			}
		});
	}

	/** Applies the changes of `run`, which is synchronous, and writes them to disk. If it throws, reverts all of them. */
	async #commit<T>(run: () => T): Promise<T> {
		if (this.#journal === undefined) throw new SvcError("SVC_UNAVAILABLE", "the storage is not started");
		try {
			const result = run();
			const line = stringifyJson(this.#changes.map(({ after }) => after));
			return line === "[]" ? result : this.#journal.append(line).then(() => result);
		} catch (error) {
			for (const { before } of this.#changes.reverse()) this.#apply(before);
			throw error;
		} finally {
			this.#changes = [];
		}
	}

	#insert(kind: EntityKind, entities: readonly object[]): void {
		for (const entity of entities) {
			const values: Row = { ...entity };
			const row = Object.fromEntries(Object.keys(shapeOf(kind).fields).map((field) => [field, toValue(kind, field, values[field])]));
			if (this.#table(kind).has(String(row["id"]))) throw toConflict(kind, "id", String(row["id"]));
			this.#put(kind, String(row["id"]), row);
		}
	}

	#update(kind: EntityKind, id: string, patch: object, expected: object): Row | undefined {
		const row = this.#table(kind).get(id);
		return row && toTest(kind, expected)(row) ? this.#patch(kind, row, patch) : undefined;
	}

	#patch(kind: EntityKind, row: Row, patch: object): Row {
		const patched: Record<string, unknown> = { ...row };
		for (const [field, value] of Object.entries(patch)) {
			const appended = appendedValueOf(value);
			if (appended === undefined) patched[field] = toValue(kind, field, value);
			else if (Array.isArray(row[field])) patched[field] = [...row[field], toValue(kind, field, appended)];
		}
		this.#put(kind, String(row["id"]), patched);
		return patched;
	}

	#remove(kind: EntityKind, where: object, limit?: number): number {
		const rows = sort(kind, this.#select(kind, where)).slice(0, limit);
		for (const row of rows) this.#put(kind, String(row["id"]), null);
		return rows.length;
	}

	#put(kind: EntityKind, id: string, row: Row | null): void {
		const taken = row && keysOf(kind, row).find((key) => (this.#owners.get(key) ?? id) !== id);
		if (taken) throw toConflict(kind, "a unique key", this.#owners.get(taken) ?? id);
		const after: Change = [kind, id, row];
		this.#changes.push({ before: [kind, id, this.#table(kind).get(id) ?? null], after });
		this.#apply(after);
	}

	#apply([kind, id, row]: Change): void {
		const table = this.#table(kind);
		for (const key of keysOf(kind, table.get(id) ?? {})) this.#owners.delete(key);
		if (row === null) return void table.delete(id);
		table.set(id, row);
		for (const key of keysOf(kind, row)) this.#owners.set(key, id);
	}

	#select(kind: EntityKind, where: object): Row[] {
		return [...this.#table(kind).values()].filter(toTest(kind, where));
	}

	#table(kind: EntityKind): Map<string, Row> {
		const table = this.#rows.get(kind) ?? new Map<string, Row>();
		this.#rows.set(kind, table);
		return table;
	}
}

function shapeOf(kind: EntityKind): Shape {
	return entityKinds[kind];
}

/** Converts a row that an earlier version has stored: adds new fields as null. */
function toCurrent(kind: EntityKind, row: Row): Row {
	return Object.fromEntries(Object.keys(shapeOf(kind).fields).map((field) => [field, row[field] ?? null]));
}

/** Returns the unique keys of a row. A key that contains null is not unique. */
function keysOf(kind: EntityKind, row: Row): string[] {
	const combinations = (shapeOf(kind).unique ?? []).map((fields) => fields.map((field) => row[field] ?? null));
	return combinations.flatMap((values, index) => (values.includes(null) ? [] : [JSON.stringify([kind, index, values])]));
}

/** Validates a value and returns a copy, so that later changes of the original have no effect. */
function toValue(kind: EntityKind, field: string, value: unknown): unknown {
	const type = shapeOf(kind).fields[field];
	const text = stringifyJson(value);
	const expected = { text: "string", boolean: "boolean", integer: "number", real: "number", json: typeof value };
	const fits = type !== undefined && text !== undefined && (value === null || typeof value === expected[type]);
	if (!fits || (typeof value === "number" && !Number.isFinite(value)))
		throw new TypeError(`field "${field}" of ${kind} cannot store this value`);
	return parseJson(text);
}

function copy<E>(row: Row): E {
	return parseJson(stringifyJson(row)) as unknown as E;
}

function toConflict(kind: EntityKind, key: string, id: string): SvcError {
	return new SvcError("SVC_CONFLICT", `${kind} with this ${key} already exists`, { facts: { conflict_id: id } });
}
