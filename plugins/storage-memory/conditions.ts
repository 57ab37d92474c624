import { type EntityKind, entityKinds, type FieldType, SvcError, stringifyJson } from "../../core/contract/index.ts";
import { compareScalars, type Scalar } from "./compare.ts";

export type Row = Readonly<Record<string, Scalar>>;

/** Conditions by field, without their types: see `Where` in the contract. */
export type Conditions = Readonly<Record<string, unknown>>;

export type RowTest = (row: Row) => boolean;

const comparisons: Readonly<Record<string, (value: Scalar, operand: unknown) => boolean>> = {
	in: (value, operand) => value !== null && (operand as readonly unknown[]).includes(value),
	not: (value, operand) => value !== operand,
	gt: (value, operand) => isComparable(value, operand) && compareScalars(value, operand) > 0,
	gte: (value, operand) => isComparable(value, operand) && compareScalars(value, operand) >= 0,
	lt: (value, operand) => isComparable(value, operand) && compareScalars(value, operand) < 0,
	lte: (value, operand) => isComparable(value, operand) && compareScalars(value, operand) <= 0,
	prefix: (value, operand) => typeof value === "string" && value.startsWith(String(operand)),
};

/** Returns a function that returns true for rows that fulfill all conditions. */
export function toRowTest(kind: EntityKind, where: Conditions): RowTest {
	const tests = Object.entries(where).map(([field, condition]) => toFieldTest(kind, field, condition));
	return (row) => tests.every((test) => test(row));
}

/** Throws `SVC_INVALID` if queries cannot filter or sort by the field. */
export function assertScalarField(kind: EntityKind, field: string): void {
	const fields: Readonly<Record<string, FieldType>> = entityKinds[kind].fields;
	if (Object.hasOwn(fields, field) && fields[field] !== "json" && entityKinds[kind].bulky?.field !== field) return;
	throw new SvcError("SVC_INVALID", `field "${field}" of ${kind} cannot be used to filter or sort`);
}

function toFieldTest(kind: EntityKind, field: string, condition: unknown): RowTest {
	if (typeof condition === "object" && condition !== null && "member" in condition) return toMemberTest(kind, field, condition.member);
	assertScalarField(kind, field);
	if (typeof condition !== "object" || condition === null) {
		if (condition === undefined) throw new TypeError(`the condition on "${field}" is undefined`);
		return (row) => row[field] === condition;
	}
	const tests = Object.entries(condition).map(([name, operand]) => {
		const compare = comparisons[name];
		if (!compare || operand === undefined) throw new TypeError(`the comparison "${name}" on "${field}" is unknown or undefined`);
		return (row: Row) => compare(row[field] ?? null, operand);
	});
	if (tests.length === 0) throw new TypeError(`the condition on "${field}" has no comparison`);
	return (row) => tests.every((test) => test(row));
}

/**
 * Returns a test that searches the stored JSON for `"name":"value"`. Only the quotes around names and values are unescaped in it, so a
 * match is a member.
 */
function toMemberTest(kind: EntityKind, field: string, member: unknown): RowTest {
	const { fields, bulky } = entityKinds[kind] as {
		readonly fields: Readonly<Record<string, FieldType>>;
		readonly bulky?: { readonly field: string };
	};
	if (!Object.hasOwn(fields, field) || fields[field] !== "json" || bulky?.field === field)
		throw new SvcError("SVC_INVALID", `field "${field}" of ${kind} has no members to filter by`);
	if (!Array.isArray(member) || member.length !== 2 || !member.every((part) => typeof part === "string"))
		throw new TypeError(`the comparison "member" on "${field}" needs a name and a string`);
	const text = member.map((part) => stringifyJson(part)).join(":");
	return (row) => String(row[field]).includes(text);
}

function isComparable(value: Scalar, operand: unknown): operand is Scalar {
	return value !== null && operand !== null;
}
