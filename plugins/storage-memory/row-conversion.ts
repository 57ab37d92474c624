import {
	appendedValueOf,
	type EntityKind,
	type EntityMap,
	entityKinds,
	type FieldType,
	type JsonValue,
	parseJson,
	stringifyJson,
} from "../../core/contract/index.ts";
import type { Scalar } from "./compare.ts";
import type { Row } from "./conditions.ts";

/**
 * Converts an entity to its stored form. `json` fields become strings, so that callers cannot change stored objects, and values are read
 * back exactly as from a storage on disk.
 */
export function toRow<K extends EntityKind>(kind: K, entity: EntityMap[K]): Row {
	const values: Readonly<Record<string, unknown>> = { ...entity };
	const row: Record<string, Scalar> = {};
	for (const [field, type] of fieldsOf(kind)) row[field] = toScalar(type, field, values[field]);
	return row;
}

export function toEntity<K extends EntityKind>(kind: K, row: Row, fields?: readonly string[]): EntityMap[K] {
	const entity: Record<string, unknown> = {};
	for (const [field, type] of fieldsOf(kind)) {
		if (fields && field !== "id" && !fields.includes(field)) continue;
		const value = row[field] ?? null;
		entity[field] = type === "json" && typeof value === "string" ? parseJson(value) : value;
	}
	return entity as unknown as EntityMap[K];
}

/** Returns the row with the patch applied. */
export function patchRow(kind: EntityKind, row: Row, patch: object): Row {
	const types: Readonly<Record<string, FieldType>> = entityKinds[kind].fields;
	const patched: Record<string, Scalar> = { ...row };
	for (const [field, value] of Object.entries(patch)) {
		const type = types[field];
		if (!type) throw new TypeError(`${kind} has no field "${field}"`);
		const appended = appendedValueOf(value);
		patched[field] = appended === undefined ? toScalar(type, field, value) : appendTo(row[field] ?? null, appended);
	}
	return patched;
}

function fieldsOf(kind: EntityKind): [string, FieldType][] {
	return Object.entries(entityKinds[kind].fields);
}

function toScalar(type: FieldType, field: string, value: unknown): Scalar {
	if (value === null) return null;
	const scalar = type === "json" ? stringifyJson(value) : value;
	if (typeof scalar === "string" || typeof scalar === "boolean" || Number.isFinite(scalar)) return scalar as Scalar;
	throw new TypeError(`field "${field}" must be ${type}, not ${typeof value === "number" ? value : typeof value}`);
}

function appendTo(text: Scalar, value: JsonValue): Scalar {
	const list: unknown = typeof text === "string" ? parseJson(text) : null;
	return Array.isArray(list) ? stringifyJson([...list, value]) : text;
}
