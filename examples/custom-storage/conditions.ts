import { type EntityKind, entityKinds, type FieldType, SvcError } from "svc-automation/contract";

/** An entity of any kind. */
export type Row = Readonly<Record<string, unknown>>;
type Test = (value: unknown, operand: unknown) => boolean;
type Ordering = readonly (readonly [field: string, direction: "asc" | "desc"])[];

// Null satisfies only `not`.
const comparisons: Readonly<Record<string, Test>> = {
	in: (value, operand) => value !== null && Array.isArray(operand) && operand.includes(value),
	not: (value, operand) => value !== operand,
	gt: (value, operand) => value !== null && operand !== null && compare(value, operand) > 0,
	gte: (value, operand) => value !== null && operand !== null && compare(value, operand) >= 0,
	lt: (value, operand) => value !== null && operand !== null && compare(value, operand) < 0,
	lte: (value, operand) => value !== null && operand !== null && compare(value, operand) <= 0,
	prefix: (value, operand) => typeof value === "string" && value.startsWith(String(operand)),
};

/** Returns a function that is true for rows that satisfy all conditions of a `Where`. */
export function toTest(kind: EntityKind, where: object): (row: Row) => boolean {
	const tests = Object.entries(where).flatMap(([field, condition]) => {
		if (isMember(condition)) return [toMemberTest(kind, field, condition.member)];
		assertAskable(kind, field);
		const isValue = typeof condition !== "object" || condition === null;
		// An undefined condition is an error of the caller. Ignoring it would match all rows.
		if (condition === undefined || (!isValue && Object.keys(condition).length === 0))
			throw new TypeError(`the condition on "${field}" is undefined`);
		if (isValue) return [(row: Row) => row[field] === condition];
		return Object.entries(condition).map(([name, operand]) => {
			const test = comparisons[name];
			if (test === undefined || operand === undefined)
				throw new TypeError(`the comparison "${name}" on "${field}" is unknown or undefined`);
			return (row: Row) => test(row[field], operand);
		});
	});
	return (row) => tests.every((test) => test(row));
}

function isMember(condition: unknown): condition is { readonly member: unknown } {
	return typeof condition === "object" && condition !== null && "member" in condition;
}

/** Returns a function that is true if the value contains an object with the member at any depth. */
function toMemberTest(kind: EntityKind, field: string, member: unknown): (row: Row) => boolean {
	if (typeOf(kind, field) !== "json" || isBulky(kind, field))
		throw new SvcError("SVC_INVALID", `field "${field}" of ${kind} has no members to filter by`);
	if (!Array.isArray(member) || member.length !== 2 || !member.every((part) => typeof part === "string"))
		throw new TypeError(`the comparison "member" on "${field}" needs a name and a string`);
	const [name, text] = member as [string, string];
	const holds = (value: unknown): boolean =>
		typeof value === "object" &&
		value !== null &&
		((!Array.isArray(value) && Object.hasOwn(value, name) && (value as Row)[name] === text) || Object.values(value).some(holds));
	return (row) => holds(row[field]);
}

/** Sorts rows. Rows with equal values are sorted by id, so that pages have no gaps or duplicates. */
export function sort(kind: EntityKind, rows: readonly Row[], orderBy: Ordering = []): Row[] {
	for (const [field] of orderBy) assertAskable(kind, field);
	const ordering: Ordering = [...orderBy, ["id", orderBy.at(-1)?.[1] ?? "asc"]];
	return [...rows].sort((left, right) => {
		for (const [field, direction] of ordering) {
			const difference = compare(left[field], right[field]);
			if (difference !== 0) return direction === "asc" ? difference : -difference;
		}
		return 0;
	});
}

/** Compares values: null first, text by code point (the order of UTF-8), false before true. */
export function compare(left: unknown, right: unknown): number {
	if (left === right) return 0;
	if (left === null || right === null) return left === null ? -1 : 1;
	if (typeof left === "string" && typeof right === "string") return Buffer.compare(Buffer.from(left), Buffer.from(right));
	return Number(left) - Number(right);
}

export function assertAskable(kind: EntityKind, field: string): void {
	const type = typeOf(kind, field);
	if (type !== undefined && type !== "json" && !isBulky(kind, field)) return;
	throw new SvcError("SVC_INVALID", `field "${field}" of ${kind} cannot be used to filter or sort`);
}

function typeOf(kind: EntityKind, field: string): FieldType | undefined {
	const fields: Readonly<Record<string, FieldType>> = entityKinds[kind].fields;
	return Object.hasOwn(fields, field) ? fields[field] : undefined;
}

/** Returns true if the field may be large, so that some storages store it separately. */
function isBulky(kind: EntityKind, field: string): boolean {
	return entityKinds[kind].bulky?.field === field;
}
