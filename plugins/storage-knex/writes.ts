import {
	appendedValueOf,
	type EntityKind,
	type EntityMap,
	entityKinds,
	SvcError,
	stringifyJson,
	type WriteOperation,
} from "../../core/contract/index.ts";
import { bindingsOf, type Conditions, toComparisons } from "./conditions.ts";
import {
	KeyTakenError,
	NothingChangedError,
	type RowValues,
	type StatementResult,
	type Step,
	StepError,
	type Write,
	type WriteRounds,
	type WriteTarget,
} from "./database-client.ts";
import { uniqueIndexesOf } from "./declared-indexes.ts";
import type { Assignment, Ordering, Statements } from "./statements.ts";
import { type Binding, type Field, fieldsOf, fieldTypesOf, toBinding, toEntity, toIdBinding } from "./values.ts";

// The exported functions copy the values of their arguments before they return, because the caller may change these objects afterwards.

export function toInsert<K extends EntityKind>(statements: Statements, kind: K, entities: readonly EntityMap[K][]): Write<void> {
	return toSilentWrite(statements, [toInsertSteps(statements, kind, entities)]);
}

export interface UpdateInput {
	readonly kind: EntityKind;
	readonly id: string;
	readonly patch: object;
	readonly expected: Conditions;
}

/** Returns an update. Its result is the updated row, or undefined if the entity does not exist or does not match the expected values. */
export function toUpdate(statements: Statements, input: UpdateInput): Write<readonly Binding[] | undefined> {
	return toWrite(statements, [toUpdateSteps(statements, input, "row")], ([answer]) => answer?.rows[0]);
}

export interface ClaimInput {
	readonly kind: EntityKind;
	readonly where: Conditions;
	readonly orderBy: Ordering;
	readonly limit: number;
	readonly patch: object;
}

export function toClaim<K extends EntityKind>(statements: Statements, input: ClaimInput): Write<EntityMap[K][]> {
	const { kind, limit } = input;
	const assignments = toAssignments(kind, input.patch);
	const steps = statements.dialect.locksRows
		? claimInOneStatement(statements, input, assignments)
		: claimInTwoStatements(statements, input, assignments);
	return {
		...toCost([{ kind, bindings: [assignments.bindings], rows: limit }]),
		compound: false,
		*rounds() {
			const rows = yield* steps();
			return rows.map((row) => toEntity<K>(row, fieldsOf(kind)));
		},
	};
}

export function toRemove(statements: Statements, kind: EntityKind, conditions: Conditions, limit?: number): Write<number> {
	return toWrite(statements, [toRemoveSteps(statements, kind, conditions, limit)], ([answer]) => answer?.changes ?? 0);
}

export function toCompound(statements: Statements, operations: readonly WriteOperation[]): Write<void> {
	const parts = operations.map((operation) => {
		if ("insert" in operation) return toInsertSteps(statements, operation.insert, operation.entities);
		if ("remove" in operation) return toRemoveSteps(statements, operation.remove, operation.where as Conditions);
		const { update: kind, id, patch, expected = {} } = operation;
		return toUpdateSteps(statements, { kind, id, patch, expected: expected as Conditions }, "change");
	});
	return toSilentWrite(statements, parts);
}

/** Statements of one operation. */
interface OperationSteps extends OperationCost {
	readonly steps: readonly Step[];
}

function toInsertSteps<K extends EntityKind>(statements: Statements, kind: K, entities: readonly EntityMap[K][]): OperationSteps {
	const fields = fieldsOf(kind);
	const { bulky } = entityKinds[kind];
	const rows = entities.map((entity) => {
		const values = entity as unknown as Readonly<Record<string, unknown>>;
		const reference = bulky === undefined ? undefined : statements.largeTexts?.putBytes(kind, entity);
		const row = fields.map((field) => (field[0] === bulky?.field && reference ? reference : toBinding(field, values[field[0]])));
		return bulky === undefined || reference !== undefined ? row : withLargeTexts(statements, kind, values, row);
	});
	const toValues = (row: readonly Binding[]): RowValues => Object.fromEntries(fields.map(([name], index) => [name, row[index] ?? null]));
	const toStep = (row: readonly Binding[]): Step => ({
		statement: statements.insert(kind),
		bindings: row,
		target: { kind, rows: () => [toValues(row)] },
	});
	const steps = rows.length > 1 && statements.dialect.listTypes ? [toSingleStep()] : rows.map(toStep);
	return { kind, steps, bindings: rows, rows: rows.length };

	/** Inserts all rows with one statement. */
	function toSingleStep(): Step {
		const columns = fields.map((_, index) => statements.dialect.toList(rows.map((row) => row[index] ?? null)));
		return { statement: statements.insertAll(kind), bindings: columns, target: { kind, rows: () => rows.map(toValues) } };
	}
}

/** Returns the row with its large text replaced by a reference. */
function withLargeTexts(
	{ largeTexts }: Statements,
	kind: EntityKind,
	entity: Readonly<Record<string, unknown>>,
	row: readonly Binding[],
): readonly Binding[] {
	if (largeTexts === undefined) return row;
	return row.map((binding, index) => largeTexts.put(kind, entity, fieldsOf(kind)[index] as Field, binding));
}

function toUpdateSteps(statements: Statements, { kind, id, patch, expected }: UpdateInput, answer: "row" | "change"): OperationSteps {
	const { assignments, bindings, values } = toAssignments(kind, patch);
	const where = toComparisons(kind, expected);
	const step: Step = {
		statement: statements.update(kind, assignments, where, answer),
		bindings: [...bindings, toIdBinding(id), ...bindingsOf(where, statements.dialect)],
		target: { kind, id, rows: () => [values()] },
	};
	return { kind, steps: [step], bindings: [bindings], rows: 1 };
}

function toRemoveSteps(statements: Statements, kind: EntityKind, conditions: Conditions, limit?: number): OperationSteps {
	const where = toComparisons(kind, conditions);
	const bindings = [...bindingsOf(where, statements.dialect), ...(limit === undefined ? [] : [limit])];
	const step = { statement: statements.remove(kind, where, limit !== undefined), bindings };
	return { kind, steps: [step], bindings: [bindings], rows: 1, isUnbounded: true };
}

type ClaimSteps = () => WriteRounds<readonly (readonly Binding[])[]>;

/**
 * Claims with one statement. The first column of the returned rows is the position in the requested order, because an update returns rows
 * in any order.
 */
function claimInOneStatement(
	statements: Statements,
	{ kind, where: conditions, orderBy, limit }: ClaimInput,
	patch: Assignments,
): ClaimSteps {
	const where = toComparisons(kind, conditions);
	const step: Step = {
		statement: statements.claim(kind, { where, orderBy }, patch.assignments),
		bindings: [...bindingsOf(where, statements.dialect), limit, ...patch.bindings],
		target: { kind, rows: () => [patch.values()] },
	};
	return function* () {
		const [answer] = yield* roundOrConflict(statements, [step]);
		const ordered = [...(answer?.rows ?? [])].sort(([left], [right]) => Number(left) - Number(right));
		return ordered.map(([, ...row]) => row);
	};
}

/** Claims with a select and an update. Safe only for a database with one writer, where no other write can run between the two. */
function claimInTwoStatements(
	statements: Statements,
	{ kind, where: conditions, orderBy, limit }: ClaimInput,
	patch: Assignments,
): ClaimSteps {
	const { dialect } = statements;
	const where = toComparisons(kind, conditions);
	const select = statements.select(kind, { fields: [["id", "text"]], where, orderBy, hasLimit: true, hasOffset: false });
	const update = statements.updateAll(kind, patch.assignments);
	return function* () {
		const [selected] = yield [{ statement: select, bindings: [...bindingsOf(where, dialect), limit] }];
		const ids = selected?.rows.map(([id]) => id ?? null) ?? [];
		if (ids.length === 0) return [];
		const writing = { kind, rows: () => [patch.values()] };
		const step: Step = { statement: update, bindings: [...patch.bindings, dialect.toList(ids)], target: writing };
		const [claimed] = yield* roundOrConflict(statements, [step]);
		const positions = new Map(ids.map((id, index) => [id, index]));
		const toPosition = (row: readonly Binding[]) => positions.get(row[0] ?? null) ?? 0;
		return [...(claimed?.rows ?? [])].sort((left, right) => toPosition(left) - toPosition(right));
	};
}

interface Assignments {
	readonly assignments: Assignment[];
	readonly bindings: Binding[];
	readonly values: () => RowValues;
}

function toAssignments(kind: EntityKind, patch: object): Assignments {
	const types = fieldTypesOf(kind);
	const assignments: Assignment[] = [];
	const bindings: Binding[] = [];
	for (const [field, value] of Object.entries(patch)) {
		const type = types.get(field);
		if (!type) throw new TypeError(`${kind} has no field "${field}"`);
		const appended = appendedValueOf(value);
		assignments.push({ field, isAppended: appended !== undefined });
		bindings.push(appended === undefined ? toBinding([field, type], value) : stringifyJson(appended));
	}
	const toSet = ({ field, isAppended }: Assignment, index: number) => [field, isAppended ? null : (bindings[index] ?? null)];
	return { assignments, bindings, values: () => Object.fromEntries(assignments.map(toSet)) };
}

function toWrite<T>(
	statements: Statements,
	parts: readonly OperationSteps[],
	conclude: (answers: readonly StatementResult[]) => T,
): Write<T> {
	const steps = parts.flatMap((part) => part.steps);
	const { relaxed, shareable, rows, size } = toCost(parts);
	return {
		compound: steps.length > 1,
		*rounds() {
			return conclude(yield* roundOrConflict(statements, steps));
		},
		// Copy these members one by one: spreading the object costs more than the rest of this function.
		relaxed,
		shareable,
		rows,
		size,
	};
}

function toSilentWrite(statements: Statements, parts: readonly OperationSteps[]): Write<void> {
	const silent = parts.flatMap((part) => part.steps);
	const { relaxed, shareable, rows, size } = toCost(parts);
	return {
		compound: silent.length > 1,
		*rounds() {
			yield* roundOrConflict(statements, silent);
		},
		stepsWithoutResult: silent,
		relaxed,
		shareable,
		rows,
		size,
	};
}

/** Maximum number of rows of a write that may share a transaction with writes of other callers. */
const maxShareableRows = 200;

interface OperationCost {
	readonly kind: EntityKind;
	/** Bindings as one list for each row. Joining the lists would take as long as all other work for several rows. */
	readonly bindings: readonly (readonly Binding[])[];
	readonly rows: number;
	/** True if the operation may write more than `rows` rows, so that its duration is unknown. */
	readonly isUnbounded?: boolean;
}

function toCost(costs: readonly OperationCost[]): Pick<Write<unknown>, "relaxed" | "shareable" | "rows" | "size"> {
	let [rows, size] = [0, 0];
	for (const cost of costs) {
		rows += cost.rows;
		for (const row of cost.bindings) for (const binding of row) if (typeof binding === "string") size += binding.length;
	}
	return {
		relaxed: costs.every(({ kind }) => entityKinds[kind].relaxed ?? false),
		shareable: rows <= maxShareableRows && costs.every(({ kind, isUnbounded }) => entityKinds[kind].shareable && !isUnbounded),
		rows,
		size,
	};
}

/**
 * Runs one round. Throws `SVC_CONFLICT` if a unique key is taken, or if a statement found no row to change. The fact `conflict_id` is the
 * id of that entity, unless it has been removed since.
 */
function* roundOrConflict(statements: Statements, steps: readonly Step[]): WriteRounds<readonly StatementResult[]> {
	try {
		return yield steps;
	} catch (error) {
		if (!(error instanceof StepError)) throw error;
		const { cause, step } = error;
		if (!step.target) throw cause;
		if (cause instanceof NothingChangedError) throw toStale(step.target, cause);
		if (!(cause instanceof KeyTakenError)) throw cause;
		const owner = yield* findOwner(statements, step.target);
		const facts = owner === undefined ? {} : { conflict_id: owner };
		throw new SvcError("SVC_CONFLICT", `${step.target.kind} with this id or key already exists`, { cause, facts });
	}
}

function toStale({ kind, id }: WriteTarget, cause: unknown): SvcError {
	return new SvcError("SVC_CONFLICT", `${kind} "${id}" does not exist or is no longer as expected`, { cause, facts: { conflict_id: id } });
}

/**
 * Returns the id of the entity that already has one of the unique keys to write. Returns undefined if that entity has been removed since.
 */
function* findOwner(statements: Statements, { kind, rows, id }: WriteTarget): WriteRounds<string | undefined> {
	const stored = id === undefined ? {} : yield* readValues(statements, kind, id);
	const newRows = rows().map((values) => ({ ...stored, ...values }));
	const answers = yield newRows.flatMap((values) => toKeySteps(statements, kind, values));
	const owners = answers.map(({ rows }) => rows[0]?.[0]);
	return owners.find((owner) => typeof owner === "string" && owner !== id) as string | undefined;
}

function toKeySteps(statements: Statements, kind: EntityKind, values: RowValues): Step[] {
	return uniqueIndexesOf(kind).map((fields) => {
		const where = fields.map((field) => ({ field, form: "equal", bindings: [values[field] ?? null] }) as const);
		const statement = statements.select(kind, { fields: [["id", "text"]], where, orderBy: [], hasLimit: false, hasOffset: false });
		return { statement, bindings: where.flatMap(({ bindings }) => bindings) };
	});
}

function* readValues(statements: Statements, kind: EntityKind, id: string): WriteRounds<RowValues> {
	const [answer] = yield [{ statement: statements.get(kind), bindings: [id] }];
	return Object.fromEntries(fieldsOf(kind).map(([name], index) => [name, answer?.rows[0]?.[index] ?? null]));
}
