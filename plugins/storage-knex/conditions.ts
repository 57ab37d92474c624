import type { Knex } from "knex";
import { type EntityKind, entityKinds, type FieldType, SvcError, stringifyJson } from "../../core/contract/index.ts";
import type { Dialect } from "./database-client.ts";
import { type Binding, toScalarBinding } from "./values.ts";

/** Conditions by field, without their types; see `Where` in the contract. */
export type Conditions = Readonly<Record<string, unknown>>;

const sqlOperators = { equal: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

/** Kind of a comparison. */
type Form = "equal" | "null" | "not" | "not-null" | "in" | "gt" | "gte" | "lt" | "lte" | "member" | "never";

/** One comparison. Field and form determine the SQL of a statement; the bindings do not. */
export interface Comparison {
	readonly field: string;
	readonly form: Form;
	/** Values to compare with. For `in`, all values of the list, which become one binding of the statement. */
	readonly bindings: readonly Binding[];
}

/**
 * Returns the comparisons of the conditions, in order. Throws `SVC_INVALID` for a field that lists cannot filter by, and a `TypeError` for
 * an invalid condition.
 */
export function toComparisons(kind: EntityKind, where: Conditions): Comparison[] {
	return Object.entries(where).flatMap(([field, condition]) => {
		if (isMember(condition)) return [toMember(kind, field, condition.member)];
		assertScalarField(kind, field);
		if (typeof condition !== "object" || condition === null) return [toEqual(field, condition)];
		const comparisons = Object.entries(condition).flatMap(([name, operand]) => toComparison(field, name, operand));
		if (comparisons.length === 0) throw new TypeError(`the condition on "${field}" has no comparison`);
		return comparisons;
	});
}

/**
 * Returns the bindings of comparisons. A list is one binding, so that lists of any length share a statement, and none exceeds the maximum
 * number of bindings.
 */
export function bindingsOf(comparisons: readonly Comparison[], dialect: Dialect): Binding[] {
	return comparisons.flatMap(({ form, bindings }) => (form === "in" ? [dialect.toList(bindings)] : bindings));
}

/** Throws `SVC_INVALID` if queries cannot filter or sort by the field. */
export function assertScalarField(kind: EntityKind, field: string): void {
	const fields: Readonly<Record<string, FieldType>> = entityKinds[kind].fields;
	if (Object.hasOwn(fields, field) && fields[field] !== "json" && entityKinds[kind].bulky?.field !== field) return;
	throw new SvcError("SVC_INVALID", `field "${field}" of ${kind} cannot be used to filter or sort`);
}

export interface ApplyOptions {
	/** Adds a binding and returns its placeholder. */
	readonly mark: () => number;
	readonly dialect: Dialect;
	/** True if the query already compares the id. Default: false. */
	readonly hasId?: boolean;
}

/** Adds comparisons to a query, with a placeholder for each binding. */
export function applyComparisons(
	query: Knex.QueryBuilder,
	comparisons: readonly Comparison[],
	{ mark, dialect, hasId }: ApplyOptions,
): void {
	const isSelectedById = hasId || comparisons.some(({ field, form }) => field === "id" && (form === "equal" || form === "in"));
	for (const { field, form, bindings } of comparisons) {
		const placeholder = bindings.length > 0 ? mark() : 0;
		const unindexed = isSelectedById && field !== "id" ? toUnindexed(form, dialect) : undefined;
		if (unindexed !== undefined) query.whereRaw(unindexed, bindings.length > 0 ? [field, placeholder] : [field]);
		else if (form === "null") query.whereNull(field);
		else if (form === "not-null") query.whereNotNull(field);
		else if (form === "not") query.where((either) => either.where(field, "<>", placeholder).orWhereNull(field));
		else if (form === "in") query.whereRaw(dialect.inList, [field, placeholder]);
		else if (form === "member") query.whereRaw(dialect.contains, [field, placeholder]);
		else if (form === "never") query.whereRaw("1 = 0");
		else query.where(field, sqlOperators[form], placeholder);
	}
}

/**
 * Returns a form of the comparison for which no index is used, because the id has already selected the row. Returns undefined if no index
 * is used anyway, or the database needs no such form.
 */
function toUnindexed(form: Form, { withoutIndex, inList }: Dialect): string | undefined {
	if (withoutIndex === undefined || form === "not" || form === "never" || form === "member") return undefined;
	if (form === "null" || form === "not-null") return withoutIndex(form === "null" ? "?? is null" : "?? is not null");
	return withoutIndex(form === "in" ? inList : `?? ${sqlOperators[form]} ?`);
}

function toEqual(field: string, value: unknown): Comparison {
	return value === null ? { field, form: "null", bindings: [] } : { field, form: "equal", bindings: [toOperand(field, value)] };
}

function toComparison(field: string, name: string, operand: unknown): Comparison[] {
	switch (name) {
		case "in":
			return [toIn(field, operand)];
		case "not":
			return [operand === null ? { field, form: "not-null", bindings: [] } : { field, form: "not", bindings: [toOperand(field, operand)] }];
		case "gt":
		case "gte":
		case "lt":
		case "lte":
			return [operand === null ? toNever(field) : { field, form: name, bindings: [toOperand(field, operand)] }];
		case "prefix":
			return toPrefix(field, operand);
		default:
			throw new TypeError(`the comparison "${name}" on "${field}" is unknown`);
	}
}

function isMember(condition: unknown): condition is { readonly member: unknown } {
	return typeof condition === "object" && condition !== null && "member" in condition;
}

/**
 * Compares a member of a JSON object by a substring search. In stored JSON, only the quotes around names and values are unescaped. The
 * substring `"name":"value"` therefore occurs only if there is such a member.
 */
function toMember(kind: EntityKind, field: string, member: unknown): Comparison {
	assertJsonField(kind, field);
	if (!Array.isArray(member) || member.length !== 2 || !member.every((part) => typeof part === "string"))
		throw new TypeError(`the comparison "member" on "${field}" needs a name and a string`);
	return { field, form: "member", bindings: [member.map((part) => stringifyJson(part)).join(":")] };
}

function assertJsonField(kind: EntityKind, field: string): void {
	const { fields, bulky } = entityKinds[kind] as {
		readonly fields: Readonly<Record<string, FieldType>>;
		readonly bulky?: { readonly field: string };
	};
	if (Object.hasOwn(fields, field) && fields[field] === "json" && bulky?.field !== field) return;
	throw new SvcError("SVC_INVALID", `field "${field}" of ${kind} has no members to filter by`);
}

function toIn(field: string, operand: unknown): Comparison {
	if (!Array.isArray(operand)) throw new TypeError(`the comparison "in" on "${field}" needs a list`);
	const values = operand.filter((value) => value !== null).map((value) => toOperand(field, value));
	return values.length === 0 ? toNever(field) : { field, form: "in", bindings: values };
}

/** Builds a range instead of a pattern, so that no character has a special meaning and an index can be used. */
function toPrefix(field: string, operand: unknown): Comparison[] {
	if (typeof operand !== "string") throw new TypeError(`the comparison "prefix" on "${field}" needs text`);
	if (operand === "") return [{ field, form: "not-null", bindings: [] }];
	const prefix = String(toOperand(field, operand));
	const end = toTextAfter(prefix);
	const start: Comparison = { field, form: "gte", bindings: [prefix] };
	return end === undefined ? [start] : [start, { field, form: "lt", bindings: [end] }];
}

/** Returns the first string, by code point, after all strings that begin with `prefix`. Returns undefined if there is none. */
function toTextAfter(prefix: string): string | undefined {
	const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
	while (points.at(-1) === 0x10ffff) points.pop();
	const last = points.pop();
	if (last === undefined) return undefined;
	// Surrogates are not characters and cannot be encoded in UTF-8.
	return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}

function toNever(field: string): Comparison {
	return { field, form: "never", bindings: [] };
}

function toOperand(field: string, value: unknown): Binding {
	const binding = toScalarBinding(value);
	if (binding === undefined) throw new TypeError(`the condition on "${field}" is ${typeof value}`);
	return binding;
}
