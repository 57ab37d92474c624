import { type EntityKind, type EntityMap, entityKinds, SvcError, toAppended, type WriteOperation } from "../../core/contract/index.ts";
import { bindingsOf, type Conditions, toComparisons } from "./conditions.ts";
import { stepOrConflict, type Values } from "./conflicts.ts";
import type { Answer, Steps, Write } from "./database-client.ts";
import type { Assignment, Ordering, Statements } from "./statements.ts";
import { type Binding, fieldsOf, fieldTypesOf, toBinding, toEntity, toIdBinding } from "./values.ts";

// Each function takes the values out of what the caller gave before it returns: the caller may change it right afterwards.

export function toInsert<K extends EntityKind>(statements: Statements, kind: K, entities: readonly EntityMap[K][]): Write<void> {
	const fields = fieldsOf(kind);
	const rows = entities.map((entity) => {
		const given: Readonly<Record<string, unknown>> = { ...entity };
		return fields.map((field) => toBinding(field, given[field[0]]));
	});
	const statement = statements.insert(kind);
	return toWrite(kind, { bindings: rows.flat(), rows: rows.length, compound: rows.length > 1 }, function* () {
		for (const bindings of rows) {
			yield* stepOrConflict(statements, { kind, values: () => toValues(fields, bindings) }, { statement, bindings });
		}
	});
}

export interface UpdateInput {
	readonly kind: EntityKind;
	readonly id: string;
	readonly patch: object;
	readonly expected: Conditions;
}

/** The row afterwards, or undefined when the entity does not exist or is not as expected. */
export function toUpdate(statements: Statements, input: UpdateInput): Write<readonly Binding[] | undefined> {
	return toPatching(statements, input, "row", ({ rows }) => rows[0]);
}

function toPatching<T>(
	statements: Statements,
	{ kind, id, patch, expected }: UpdateInput,
	answer: "row" | "changes",
	conclude: (answer: Answer) => T,
): Write<T> {
	const { assignments, bindings: assigned, values } = toAssignments(kind, patch);
	const where = toComparisons(kind, expected);
	const statement = statements.update(kind, assignments, where, answer);
	const bindings = [...assigned, toIdBinding(id), ...bindingsOf(where)];
	return toWrite(kind, { bindings: assigned, rows: 1, compound: false }, function* () {
		return conclude(yield* stepOrConflict(statements, { kind, values, id }, { statement, bindings }));
	});
}

export interface ClaimInput {
	readonly kind: EntityKind;
	readonly where: Conditions;
	readonly orderBy: Ordering;
	readonly limit: number;
	readonly patch: object;
}

export function toClaim<K extends EntityKind>(
	statements: Statements,
	{ kind, where: conditions, orderBy, limit, patch }: ClaimInput,
): Write<EntityMap[K][]> {
	const where = toComparisons(kind, conditions);
	const { assignments, bindings: assigned, values } = toAssignments(kind, patch);
	const find = statements.select(kind, { fields: [["id", "text"]], where, orderBy, limited: true, skipping: false });
	const update = statements.updateAll(kind, assignments);
	return toWrite(kind, { bindings: assigned, rows: limit, compound: false }, function* () {
		const found = yield { statement: find, bindings: [...bindingsOf(where), limit] };
		if (found.rows.length === 0) return [];
		const ids = found.rows.map(([id]) => id ?? null);
		const step = { statement: update, bindings: [...assigned, JSON.stringify(ids)] };
		const { rows } = yield* stepOrConflict(statements, { kind, values }, step);
		const places = new Map(ids.map((id, index) => [id, index]));
		const claimed = [...rows].sort((left, right) => (places.get(left[0] ?? null) ?? 0) - (places.get(right[0] ?? null) ?? 0));
		return claimed.map((row) => toEntity<K>(row, fieldsOf(kind)));
	});
}

export function toRemove(statements: Statements, kind: EntityKind, conditions: Conditions, limit?: number): Write<number> {
	const where = toComparisons(kind, conditions);
	const statement = statements.remove(kind, where, limit !== undefined);
	const bindings = [...bindingsOf(where), ...(limit === undefined ? [] : [limit])];
	return toWrite(kind, { bindings, rows: 1, compound: false }, function* () {
		return (yield { statement, bindings }).changes;
	});
}

export function toCompound(statements: Statements, operations: readonly WriteOperation[]): Write<void> {
	const writes = operations.map((operation) => toPart(statements, operation));
	return {
		compound: true,
		relaxed: writes.every(({ relaxed }) => relaxed),
		rows: writes.reduce((sum, { rows }) => sum + rows, 0),
		size: writes.reduce((sum, { size }) => sum + size, 0),
		*steps() {
			for (const write of writes) yield* write.steps();
		},
	};
}

function toPart(statements: Statements, operation: WriteOperation): Write<unknown> {
	if ("insert" in operation) return toInsert(statements, operation.insert, operation.entities);
	if ("remove" in operation) return toRemove(statements, operation.remove, operation.where as Conditions);
	const { update: kind, id, patch, expected = {} } = operation;
	return toPatching(statements, { kind, id, patch, expected: expected as Conditions }, "changes", ({ changes }) => {
		if (changes > 0) return;
		throw new SvcError("SVC_CONFLICT", `${kind} "${id}" does not exist or is no longer as expected`, { facts: { conflict_id: id } });
	});
}

interface Assignments {
	readonly assignments: Assignment[];
	readonly bindings: Binding[];
	readonly values: () => Values;
}

function toAssignments(kind: EntityKind, patch: object): Assignments {
	const types = fieldTypesOf(kind);
	const assignments: Assignment[] = [];
	const bindings: Binding[] = [];
	for (const [field, value] of Object.entries(patch)) {
		const type = types.get(field);
		if (!type) throw new TypeError(`${kind} has no field "${field}"`);
		const appended = toAppended(value);
		assignments.push({ field, append: appended !== undefined });
		bindings.push(appended === undefined ? toBinding([field, type], value) : JSON.stringify(appended));
	}
	const toSet = ({ field, append }: Assignment, index: number) => [field, append ? null : (bindings[index] ?? null)];
	return { assignments, bindings, values: () => Object.fromEntries(assignments.map(toSet)) };
}

function toWrite<T>(
	kind: EntityKind,
	{ bindings, rows, compound }: { readonly bindings: readonly Binding[]; readonly rows: number; readonly compound: boolean },
	steps: () => Steps<T>,
): Write<T> {
	let size = 0;
	for (const binding of bindings) if (typeof binding === "string") size += binding.length;
	return { steps, compound, relaxed: entityKinds[kind].relaxed ?? false, rows, size };
}

function toValues(fields: ReturnType<typeof fieldsOf>, bindings: readonly Binding[]): Values {
	return Object.fromEntries(fields.map(([name], index) => [name, bindings[index] ?? null]));
}
