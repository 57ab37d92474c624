import {
	type EntityKind,
	type EntityMap,
	entityKinds,
	SvcError,
	stringifyJson,
	toAppended,
	type WriteOperation,
} from "../../core/contract/index.ts";
import { bindingsOf, type Conditions, toComparisons } from "./conditions.ts";
import {
	type Answer,
	KeyTakenError,
	NothingChangedError,
	type Step,
	StepError,
	type Steps,
	type Values,
	type Write,
	type Writing,
} from "./database-client.ts";
import { uniqueIndexesOf } from "./indexes.ts";
import type { Assignment, Ordering, Statements } from "./statements.ts";
import { type Binding, type Field, fieldsOf, fieldTypesOf, toBinding, toEntity, toIdBinding } from "./values.ts";

// Each function takes the values out of what the caller gave before it returns: the caller may change it right afterwards.

export function toInsert<K extends EntityKind>(statements: Statements, kind: K, entities: readonly EntityMap[K][]): Write<void> {
	return toSilentWrite(statements, [toInsertPart(statements, kind, entities)]);
}

export interface UpdateInput {
	readonly kind: EntityKind;
	readonly id: string;
	readonly patch: object;
	readonly expected: Conditions;
}

/** The row afterwards, or undefined when the entity does not exist or is not as expected. */
export function toUpdate(statements: Statements, input: UpdateInput): Write<readonly Binding[] | undefined> {
	return toWrite(statements, [toUpdatePart(statements, input, "row")], ([answer]) => answer?.rows[0]);
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
	const steps = statements.dialect.locksRows ? claimAtOnce(statements, input, assignments) : claimInTwo(statements, input, assignments);
	return {
		...toCost([{ kind, bindings: [assignments.bindings], rows: limit }]),
		compound: false,
		*steps() {
			const rows = yield* steps();
			return rows.map((row) => toEntity<K>(row, fieldsOf(kind)));
		},
	};
}

export function toRemove(statements: Statements, kind: EntityKind, conditions: Conditions, limit?: number): Write<number> {
	return toWrite(statements, [toRemovePart(statements, kind, conditions, limit)], ([answer]) => answer?.changes ?? 0);
}

export function toCompound(statements: Statements, operations: readonly WriteOperation[]): Write<void> {
	const parts = operations.map((operation) => {
		if ("insert" in operation) return toInsertPart(statements, operation.insert, operation.entities);
		if ("remove" in operation) return toRemovePart(statements, operation.remove, operation.where as Conditions);
		const { update: kind, id, patch, expected = {} } = operation;
		return toUpdatePart(statements, { kind, id, patch, expected: expected as Conditions }, "change");
	});
	return toSilentWrite(statements, parts);
}

/** Statements of one operation. */
interface Part extends Cost {
	readonly steps: readonly Step[];
}

function toInsertPart<K extends EntityKind>(statements: Statements, kind: K, entities: readonly EntityMap[K][]): Part {
	const fields = fieldsOf(kind);
	const { bulky } = entityKinds[kind];
	const rows = entities.map((entity) => {
		const given = entity as unknown as Readonly<Record<string, unknown>>;
		const outside = bulky === undefined ? undefined : statements.largeTexts?.putBytes(kind, entity);
		const row = fields.map((field) => (field[0] === bulky?.field && outside ? outside : toBinding(field, given[field[0]])));
		return bulky === undefined || outside !== undefined ? row : withLargeTexts(statements, kind, given, row);
	});
	const toValues = (row: readonly Binding[]): Values => Object.fromEntries(fields.map(([name], index) => [name, row[index] ?? null]));
	const toStep = (row: readonly Binding[]): Step => ({
		statement: statements.insert(kind),
		bindings: row,
		writing: { kind, rows: () => [toValues(row)] },
	});
	const steps = rows.length > 1 && statements.dialect.listTypes ? [toStepOfAll()] : rows.map(toStep);
	return { kind, steps, bindings: rows, rows: rows.length };

	function toStepOfAll(): Step {
		const columns = fields.map((_, index) => statements.dialect.toList(rows.map((row) => row[index] ?? null)));
		return { statement: statements.insertAll(kind), bindings: columns, writing: { kind, rows: () => rows.map(toValues) } };
	}
}

function withLargeTexts(
	{ largeTexts }: Statements,
	kind: EntityKind,
	entity: Readonly<Record<string, unknown>>,
	row: readonly Binding[],
): readonly Binding[] {
	if (largeTexts === undefined) return row;
	return row.map((binding, index) => largeTexts.put(kind, entity, fieldsOf(kind)[index] as Field, binding));
}

function toUpdatePart(statements: Statements, { kind, id, patch, expected }: UpdateInput, answer: "row" | "change"): Part {
	const { assignments, bindings, values } = toAssignments(kind, patch);
	const where = toComparisons(kind, expected);
	const step: Step = {
		statement: statements.update(kind, assignments, where, answer),
		bindings: [...bindings, toIdBinding(id), ...bindingsOf(where, statements.dialect)],
		writing: { kind, id, rows: () => [values()] },
	};
	return { kind, steps: [step], bindings: [bindings], rows: 1 };
}

function toRemovePart(statements: Statements, kind: EntityKind, conditions: Conditions, limit?: number): Part {
	const where = toComparisons(kind, conditions);
	const bindings = [...bindingsOf(where, statements.dialect), ...(limit === undefined ? [] : [limit])];
	const step = { statement: statements.remove(kind, where, limit !== undefined), bindings };
	return { kind, steps: [step], bindings: [bindings], rows: 1, isUnbounded: true };
}

type ClaimSteps = () => Steps<readonly (readonly Binding[])[]>;

/** The first column is the place in the order that was asked for. */
function claimAtOnce(statements: Statements, { kind, where: conditions, orderBy, limit }: ClaimInput, patch: Assignments): ClaimSteps {
	const where = toComparisons(kind, conditions);
	const step: Step = {
		statement: statements.claim(kind, { where, orderBy }, patch.assignments),
		bindings: [...bindingsOf(where, statements.dialect), limit, ...patch.bindings],
		writing: { kind, rows: () => [patch.values()] },
	};
	return function* () {
		const [answer] = yield* roundOrConflict(statements, [step]);
		const placed = [...(answer?.rows ?? [])].sort(([left], [right]) => Number(left) - Number(right));
		return placed.map(([, ...row]) => row);
	};
}

/** For a database with one writer, where nobody comes between the two. */
function claimInTwo(statements: Statements, { kind, where: conditions, orderBy, limit }: ClaimInput, patch: Assignments): ClaimSteps {
	const { dialect } = statements;
	const where = toComparisons(kind, conditions);
	const find = statements.select(kind, { fields: [["id", "text"]], where, orderBy, limited: true, skipping: false });
	const update = statements.updateAll(kind, patch.assignments);
	return function* () {
		const [found] = yield [{ statement: find, bindings: [...bindingsOf(where, dialect), limit] }];
		const ids = found?.rows.map(([id]) => id ?? null) ?? [];
		if (ids.length === 0) return [];
		const writing = { kind, rows: () => [patch.values()] };
		const step: Step = { statement: update, bindings: [...patch.bindings, dialect.toList(ids)], writing };
		const [claimed] = yield* roundOrConflict(statements, [step]);
		const places = new Map(ids.map((id, index) => [id, index]));
		return [...(claimed?.rows ?? [])].sort((left, right) => (places.get(left[0] ?? null) ?? 0) - (places.get(right[0] ?? null) ?? 0));
	};
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
		bindings.push(appended === undefined ? toBinding([field, type], value) : stringifyJson(appended));
	}
	const toSet = ({ field, append }: Assignment, index: number) => [field, append ? null : (bindings[index] ?? null)];
	return { assignments, bindings, values: () => Object.fromEntries(assignments.map(toSet)) };
}

function toWrite<T>(statements: Statements, parts: readonly Part[], conclude: (answers: readonly Answer[]) => T): Write<T> {
	const steps = parts.flatMap((part) => part.steps);
	const { relaxed, shareable, rows, size } = toCost(parts);
	return {
		compound: steps.length > 1,
		*steps() {
			return conclude(yield* roundOrConflict(statements, steps));
		},
		// Each by its name: what is spread costs more than all the rest.
		relaxed,
		shareable,
		rows,
		size,
	};
}

function toSilentWrite(statements: Statements, parts: readonly Part[]): Write<void> {
	const silent = parts.flatMap((part) => part.steps);
	const { relaxed, shareable, rows, size } = toCost(parts);
	return {
		compound: silent.length > 1,
		*steps() {
			yield* roundOrConflict(statements, silent);
		},
		silent,
		relaxed,
		shareable,
		rows,
		size,
	};
}

const mostSharedRows = 200;

interface Cost {
	readonly kind: EntityKind;
	/** By rows: to put them into one list would take as long as all else that is done for several rows. */
	readonly bindings: readonly (readonly Binding[])[];
	readonly rows: number;
	/** Whether more rows than that may be written, and nobody knows how long it takes. */
	readonly isUnbounded?: boolean;
}

function toCost(costs: readonly Cost[]): Pick<Write<unknown>, "relaxed" | "shareable" | "rows" | "size"> {
	let [rows, size] = [0, 0];
	for (const cost of costs) {
		rows += cost.rows;
		for (const row of cost.bindings) for (const binding of row) if (typeof binding === "string") size += binding.length;
	}
	return {
		relaxed: costs.every(({ kind }) => entityKinds[kind].relaxed ?? false),
		shareable: rows <= mostSharedRows && costs.every(({ kind, isUnbounded }) => entityKinds[kind].shareable && !isUnbounded),
		rows,
		size,
	};
}

/** Do a round; when a key is taken, or nothing was there to be changed, throw the conflict that says by whom. */
function* roundOrConflict(statements: Statements, steps: readonly Step[]): Steps<readonly Answer[]> {
	try {
		return yield steps;
	} catch (error) {
		if (!(error instanceof StepError)) throw error;
		const { cause, step } = error;
		if (!step.writing) throw cause;
		if (cause instanceof NothingChangedError) throw toStale(step.writing, cause);
		if (!(cause instanceof KeyTakenError)) throw cause;
		const owner = yield* findOwner(statements, step.writing);
		const facts = owner === undefined ? {} : { conflict_id: owner };
		throw new SvcError("SVC_CONFLICT", `${step.writing.kind} with this id or key exists already`, { cause, facts });
	}
}

function toStale({ kind, id }: Writing, cause: unknown): SvcError {
	return new SvcError("SVC_CONFLICT", `${kind} "${id}" does not exist or is no longer as expected`, { cause, facts: { conflict_id: id } });
}

/** Id of the entity that has one of the keys of what is being written; undefined when it has gone meanwhile. */
function* findOwner(statements: Statements, { kind, rows, id }: Writing): Steps<string | undefined> {
	const stored = id === undefined ? {} : yield* readValues(statements, kind, id);
	const all = rows().map((values) => ({ ...stored, ...values }));
	const answers = yield all.flatMap((values) => toKeySteps(statements, kind, values));
	const owners = answers.map(({ rows }) => rows[0]?.[0]);
	return owners.find((owner) => typeof owner === "string" && owner !== id) as string | undefined;
}

function toKeySteps(statements: Statements, kind: EntityKind, values: Values): Step[] {
	return uniqueIndexesOf(kind).map((fields) => {
		const where = fields.map((field) => ({ field, form: "equal", bindings: [values[field] ?? null] }) as const);
		const statement = statements.select(kind, { fields: [["id", "text"]], where, orderBy: [], limited: false, skipping: false });
		return { statement, bindings: where.flatMap(({ bindings }) => bindings) };
	});
}

function* readValues(statements: Statements, kind: EntityKind, id: string): Steps<Values> {
	const [answer] = yield [{ statement: statements.get(kind), bindings: [id] }];
	return Object.fromEntries(fieldsOf(kind).map(([name], index) => [name, answer?.rows[0]?.[index] ?? null]));
}
