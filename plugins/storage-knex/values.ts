import { type EntityKind, type EntityMap, entityKinds, type FieldType, parseJson, stringifyJson } from "../../core/contract/index.ts";

/** What goes into a statement and comes out of a column; booleans come as 0 and 1 where the database has none. */
export type Binding = string | number | boolean | null;

export type Field = readonly [name: string, type: FieldType];

/** By the declarations themselves, as the host may have declared further kinds by the time they are asked for. */
const fieldTypes = new WeakMap<object, ReadonlyMap<string, FieldType>>();
const fieldLists = new WeakMap<object, readonly Field[]>();

/** Fields of a kind in column order. */
export function fieldsOf(kind: EntityKind): readonly Field[] {
	const { fields } = declarationOf(kind);
	let list = fieldLists.get(fields);
	if (!list) fieldLists.set(fields, (list = Object.entries(fields)));
	return list;
}

/** Types of a kind's fields, by name. */
export function fieldTypesOf(kind: EntityKind): ReadonlyMap<string, FieldType> {
	const { fields } = declarationOf(kind);
	let types = fieldTypes.get(fields);
	if (!types) fieldTypes.set(fields, (types = new Map(fieldsOf(kind))));
	return types;
}

function declarationOf(kind: EntityKind): { readonly fields: Readonly<Record<string, FieldType>> } {
	const declaration = entityKinds[kind];
	if (!declaration) throw new TypeError(`there is no kind "${kind}"`);
	return declaration;
}

/** The value of a field as its column holds it: JSON as text. */
export function toBinding([name, type]: Field, value: unknown): Binding {
	if (value === null) return null;
	const binding = type === "json" ? stringifyJson(value) : toScalarBinding(value);
	if (binding === undefined)
		throw new TypeError(`field "${name}" must be ${type}, not ${typeof value === "number" ? value : typeof value}`);
	return binding;
}

/** An id that a caller gave. */
export function toIdBinding(id: string): Binding {
	return escapeText(id);
}

/** A value of a condition; undefined when it is none. */
export function toScalarBinding(value: unknown): Binding | undefined {
	switch (typeof value) {
		case "string":
			return escapeText(value);
		case "number":
			return Number.isFinite(value) ? value : undefined;
		case "boolean":
			return value;
		default:
			return value === null ? null : undefined;
	}
}

/** The entity in a row of these columns. */
export function toEntity<K extends EntityKind>(row: readonly Binding[], fields: readonly Field[]): EntityMap[K] {
	const entity: Record<string, unknown> = {};
	fields.forEach(([name, type], index) => {
		entity[name] = toValue(type, row[index] ?? null);
	});
	return entity as unknown as EntityMap[K];
}

/** The value of a field of this type that a column holds. */
export function toValue(type: FieldType, binding: Binding): unknown {
	if (binding === null) return null;
	if (type === "boolean") return binding === true || binding === 1;
	if (typeof binding !== "string") return binding;
	return type === "json" ? parseJson(binding) : unescapeText(binding);
}

// Databases and drivers end text at NUL or refuse it. NUL becomes U+0001 U+0001 and U+0001 becomes U+0001 U+0002, which keeps
// order, equality and prefixes as they were and leaves all other text as it is.

function escapeText(text: string): string {
	if (!text.includes("\u0000") && !text.includes("\u0001")) return text;
	return text.replaceAll("\u0001", "\u0001\u0002").replaceAll("\u0000", "\u0001\u0001");
}

/** Whether a text as bytes is kept in another way than it is. */
export function needsEscape(bytes: Uint8Array): boolean {
	return bytes.includes(0) || bytes.includes(1);
}

function unescapeText(text: string): string {
	if (!text.includes("\u0001")) return text;
	// Runs of U+0001 begin where an escape begins, so that what is taken from the left is never two halves.
	return text.replaceAll("\u0001\u0001", "\u0000").replaceAll("\u0001\u0002", "\u0001");
}
