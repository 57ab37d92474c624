import { type EntityKind, entityKinds, SvcError } from "../../core/contract/index.ts";
import type { Scalar } from "./compare.ts";
import { type Conditions, type Row, toRowTest } from "./conditions.ts";

type Unique = { readonly fields: readonly string[]; readonly owners: Map<string, string> };
type Group = Map<Scalar, Set<string>>;

type Combinations = readonly (readonly string[])[];

interface Indexed {
	readonly unique?: Combinations;
	readonly indexes?: Combinations;
	readonly sparseIndexes?: Readonly<Record<string, Combinations>>;
}

/** Rows of one kind by id, with their unique keys, and with the ids by the values of the first field of each index. */
export class Table {
	readonly #kind: EntityKind;
	readonly #rows = new Map<string, Row>();
	readonly #uniques: readonly Unique[];
	readonly #groups: ReadonlyMap<string, Group>;

	constructor(kind: EntityKind) {
		const { unique = [], indexes = [], sparseIndexes = {} }: Indexed = entityKinds[kind];
		const leading = [...unique, ...indexes, ...Object.values(sparseIndexes).flat()].flatMap(([field]) => field ?? []);
		this.#kind = kind;
		this.#uniques = unique.map((fields) => ({ fields, owners: new Map() }));
		this.#groups = new Map(leading.map((field) => [field, new Map()]));
	}

	get(id: string): Row | undefined {
		return this.#rows.get(id);
	}

	select(where: Conditions): Row[] {
		const test = toRowTest(this.#kind, where);
		return this.#candidates(where).filter(test);
	}

	/** Replaces, inserts or deletes a row. Throws `SVC_CONFLICT` without any change if a key is already used. */
	replace(before: Row | undefined, after: Row | undefined): void {
		if (after) this.#assertFree(before, after);
		if (before) this.#unlink(before);
		if (after) this.#link(after);
	}

	/** Returns rows among which are all matches of the conditions: those found by the id or by an indexed field, otherwise all rows. */
	#candidates(where: Conditions): Row[] {
		if (typeof where["id"] === "string") return this.#toRows([where["id"]]);
		for (const [field, condition] of Object.entries(where)) {
			const group = this.#groups.get(field);
			if (group && typeof condition === "string") return this.#toRows(group.get(condition) ?? []);
		}
		return [...this.#rows.values()];
	}

	#toRows(ids: Iterable<string>): Row[] {
		return Array.from(ids, (id) => this.#rows.get(id)).filter((row) => row !== undefined);
	}

	#assertFree(before: Row | undefined, after: Row): void {
		const id = String(after["id"]);
		if (id !== before?.["id"] && this.#rows.has(id)) throw toConflict(this.#kind, ["id"], id);
		for (const { fields, owners } of this.#uniques) {
			const owner = owners.get(toKey(fields, after) ?? "");
			if (owner !== undefined && owner !== before?.["id"]) throw toConflict(this.#kind, fields, owner);
		}
	}

	#link(row: Row): void {
		const id = String(row["id"]);
		this.#rows.set(id, row);
		for (const { fields, owners } of this.#uniques) {
			const key = toKey(fields, row);
			if (key !== undefined) owners.set(key, id);
		}
		for (const [field, group] of this.#groups) {
			const value = row[field] ?? null;
			const ids = group.get(value);
			if (ids) ids.add(id);
			else group.set(value, new Set([id]));
		}
	}

	#unlink(row: Row): void {
		const id = String(row["id"]);
		this.#rows.delete(id);
		for (const { fields, owners } of this.#uniques) owners.delete(toKey(fields, row) ?? "");
		for (const [field, group] of this.#groups) {
			const value = row[field] ?? null;
			const ids = group.get(value);
			ids?.delete(id);
			if (ids?.size === 0) group.delete(value);
		}
	}
}

/** Returns a unique key, or undefined if it contains null, because null differs from every value, even from null. */
function toKey(fields: readonly string[], row: Row): string | undefined {
	const values = fields.map((field) => row[field] ?? null);
	return values.includes(null) ? undefined : JSON.stringify(values);
}

function toConflict(kind: EntityKind, fields: readonly string[], owner: string): SvcError {
	return new SvcError("SVC_CONFLICT", `${kind} with this ${fields.join(" and ")} already exists`, { facts: { conflict_id: owner } });
}
