import type { Knex } from "knex";
import { type EntityKind, entityKinds, type FieldType, SvcError, stringifyJson } from "../../core/contract/index.ts";
import type { Dialect } from "./database-client.ts";
import { type Binding, toScalarBinding } from "./values.ts";

/** Conditions by field, types erased: see `Where` in the contract. */
export type Conditions = Readonly<Record<string, unknown>>;

const operators = { equal: "=", gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

type Form = "equal" | "null" | "not" | "not-null" | "in" | "gt" | "gte" | "lt" | "lte" | "member" | "never";

/** One comparison. Field and form decide the text of a statement, the bindings do not. */
export interface Comparison {
	readonly field: string;
	readonly form: Form;
	/** Of `in` every value of the list, which is one binding of the statement. */
	readonly bindings: readonly Binding[];
}

/** Every comparison that conditions ask for, in order. */
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

/** One binding for a whole list, so that lists of any length share a statement and none is too long for one. */
export function bindingsOf(comparisons: readonly Comparison[], dialect: Dialect): Binding[] {
	return comparisons.flatMap(({ form, bindings }) => (form === "in" ? [dialect.toList(bindings)] : bindings));
}

/** Throws `SVC_INVALID` unless lists can filter and sort by the field. */
export function assertScalarField(kind: EntityKind, field: string): void {
	const fields: Readonly<Record<string, FieldType>> = entityKinds[kind].fields;
	if (Object.hasOwn(fields, field) && fields[field] !== "json" && entityKinds[kind].bulky?.field !== field) return;
	throw new SvcError("SVC_INVALID", `field "${field}" of ${kind} cannot be asked for or sorted by`);
}

export interface Applying {
	readonly mark: () => number;
	readonly dialect: Dialect;
	/** The query names the id already. Default: false. */
	readonly hasId?: boolean;
}

/** Add comparisons to a query under construction, with a mark in the place of each binding. */
export function applyComparisons(query: Knex.QueryBuilder, comparisons: readonly Comparison[], { mark, dialect, hasId }: Applying): void {
	const isFound = hasId || comparisons.some(({ field, form }) => field === "id" && (form === "equal" || form === "in"));
	for (const { field, form, bindings } of comparisons) {
		const place = bindings.length > 0 ? mark() : 0;
		const aside = isFound && field !== "id" ? toAside(form, dialect) : undefined;
		if (aside !== undefined) query.whereRaw(aside, bindings.length > 0 ? [field, place] : [field]);
		else if (form === "null") query.whereNull(field);
		else if (form === "not-null") query.whereNotNull(field);
		else if (form === "not") query.where((either) => either.where(field, "<>", place).orWhereNull(field));
		else if (form === "in") query.whereRaw(dialect.inList, [field, place]);
		else if (form === "member") query.whereRaw(dialect.contains, [field, place]);
		else if (form === "never") query.whereRaw("1 = 0");
		else query.where(field, operators[form], place);
	}
}

/** The text of a comparison for which no index is looked into, as the id has found all there is; undefined where none would be. */
function toAside(form: Form, { aside, inList }: Dialect): string | undefined {
	if (aside === undefined || form === "not" || form === "never" || form === "member") return undefined;
	if (form === "null" || form === "not-null") return aside(form === "null" ? "?? is null" : "?? is not null");
	return aside(form === "in" ? inList : `?? ${operators[form]} ?`);
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

/** JSON is kept as text in which only the quotes of names and values are not escaped: a member stands there as it is written. */
function toMember(kind: EntityKind, field: string, member: unknown): Comparison {
	assertJsonField(kind, field);
	if (!Array.isArray(member) || member.length !== 2 || !member.every((part) => typeof part === "string"))
		throw new TypeError(`the comparison "member" on "${field}" needs a name and a text`);
	return { field, form: "member", bindings: [member.map((part) => stringifyJson(part)).join(":")] };
}

function assertJsonField(kind: EntityKind, field: string): void {
	const { fields, bulky } = entityKinds[kind] as {
		readonly fields: Readonly<Record<string, FieldType>>;
		readonly bulky?: { readonly field: string };
	};
	if (Object.hasOwn(fields, field) && fields[field] === "json" && bulky?.field !== field) return;
	throw new SvcError("SVC_INVALID", `field "${field}" of ${kind} has no members that could be asked for`);
}

function toIn(field: string, operand: unknown): Comparison {
	if (!Array.isArray(operand)) throw new TypeError(`the comparison "in" on "${field}" needs a list`);
	const values = operand.filter((value) => value !== null).map((value) => toOperand(field, value));
	return values.length === 0 ? toNever(field) : { field, form: "in", bindings: values };
}

/** A range rather than a pattern: no character is special and an index serves it. */
function toPrefix(field: string, operand: unknown): Comparison[] {
	if (typeof operand !== "string") throw new TypeError(`the comparison "prefix" on "${field}" needs text`);
	if (operand === "") return [{ field, form: "not-null", bindings: [] }];
	const prefix = String(toOperand(field, operand));
	const end = toTextAfter(prefix);
	const start: Comparison = { field, form: "gte", bindings: [prefix] };
	return end === undefined ? [start] : [start, { field, form: "lt", bindings: [end] }];
}

/** The first text by code point that is behind all that begin with `prefix`; undefined when there is none. */
function toTextAfter(prefix: string): string | undefined {
	const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
	while (points.at(-1) === 0x10ffff) points.pop();
	const last = points.pop();
	if (last === undefined) return undefined;
	// Surrogates are not characters and have no place in UTF-8.
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
