import { type EntityKind, entityKinds, SvcError } from "../contract/index.ts";

export type DraftEntity = Readonly<Record<string, unknown>> & { readonly id: string };

/** Entities of one kind, found by their unique keys without going through all: a pack may have thousands of actions. */
export class DraftTable {
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
