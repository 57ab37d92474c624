import { type EntityKind, type EntityMap, entityKinds, type FieldType, parseJson, stringifyJson } from "../../core/contract/index.ts";

/** Value of a parameter or of a column. If the database has no booleans, they are read as 0 and 1. */
export type Binding = string | number | boolean | null;

export type Field = readonly [name: string, type: FieldType];

/** Caches by the `fields` object of a declaration, not by kind, because the host may declare more kinds later. */
const fieldTypes = new WeakMap<object, ReadonlyMap<string, FieldType>>();
const fieldLists = new WeakMap<object, readonly Field[]>();

/** Returns the fields of a kind in column order. */
export function fieldsOf(kind: EntityKind): readonly Field[] {
	const { fields } = declarationOf(kind);
	let list = fieldLists.get(fields);
	if (!list) fieldLists.set(fields, (list = Object.entries(fields)));
	return list;
}

/** Returns the types of a kind's fields, by name. */
export function fieldTypesOf(kind: EntityKind): ReadonlyMap<string, FieldType> {
	const { fields } = declarationOf(kind);
	let types = fieldTypes.get(fields);
	if (!types) fieldTypes.set(fields, (types = new Map(fieldsOf(kind))));
	return types;
}

function declarationOf(kind: EntityKind): { readonly fields: Readonly<Record<string, FieldType>> } {
	const declaration = entityKinds[kind];
	if (!declaration) throw new TypeError(`kind "${kind}" does not exist`);
	return declaration;
}

/** Converts the value of a field to the value of its column, JSON to a string. Throws a `TypeError` if it does not fit the type. */
export function toBinding([name, type]: Field, value: unknown): Binding {
	if (value === null) return null;
	const binding = type === "json" ? stringifyJson(value) : toScalarBinding(value);
	if (binding === undefined)
		throw new TypeError(`field "${name}" must be ${type}, not ${typeof value === "number" ? value : typeof value}`);
	return binding;
}

/** Converts an id that a caller has passed to the value of its column. */
export function toIdBinding(id: string): Binding {
	return escapeText(id);
}

/** Converts a value of a condition. Returns undefined if it is not a string, a finite number, a boolean or null. */
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

/** Converts a row with these columns to an entity. */
export function toEntity<K extends EntityKind>(row: readonly Binding[], fields: readonly Field[]): EntityMap[K] {
	const entity: Record<string, unknown> = {};
	fields.forEach(([name, type], index) => {
		entity[name] = toValue(type, row[index] ?? null);
	});
	return entity as unknown as EntityMap[K];
}

/** Converts the value of a column to the value of a field of this type. */
export function toValue(type: FieldType, binding: Binding): unknown {
	if (binding === null) return null;
	if (type === "boolean") return binding === true || binding === 1;
	if (typeof binding !== "string") return binding;
	return type === "json" ? parseJson(binding) : unescapeText(binding);
}

// Databases and drivers end strings at NUL or reject it. So NUL is stored as U+0001 U+0001, and U+0001 as U+0001 U+0002. This preserves
// order, equality and prefixes, and leaves all other strings unchanged.

function escapeText(text: string): string {
	if (!text.includes("\u0000") && !text.includes("\u0001")) return text;
	return text.replaceAll("\u0001", "\u0001\u0002").replaceAll("\u0000", "\u0001\u0001");
}

/** Returns true if the stored form of a UTF-8 string differs from these bytes. */
export function needsEscape(bytes: Uint8Array): boolean {
	return bytes.includes(0) || bytes.includes(1);
}

function unescapeText(text: string): string {
	if (!text.includes("\u0001")) return text;
	// Every sequence of U+0001 begins with an escape, so replacing from the left never joins the halves of two escapes.
	return text.replaceAll("\u0001\u0001", "\u0000").replaceAll("\u0001\u0002", "\u0001");
}
