import type { EntityKind, Query } from "../../core/contract/index.ts";
import { assertScalarField, bindingsOf, type Comparison, type Conditions, toComparisons } from "./conditions.ts";
import type { Step } from "./database-client.ts";
import {
	findLeadingNullField,
	hasIndexWithManyNulls,
	hasSparseIndexOn,
	indexesOf,
	isInTimeIndex,
	timeFieldOf,
} from "./declared-indexes.ts";
import { type Branch, latePageLookback, type Ordering, type Statements } from "./statements.ts";
import { type Field, fieldsOf } from "./values.ts";

export interface SelectInput<E> {
	readonly kind: EntityKind;
	readonly query: Query<E>;
	readonly fields: readonly Field[];
}

/** Returns the select for a query, in the form that reads the fewest rows. */
export function toSelect<E>(statements: Statements, { kind, query, fields }: SelectInput<E>): Step {
	const { dialect } = statements;
	const { limit, offset = 0 } = query;
	const where = toComparisons(kind, (query.where ?? {}) as Conditions);
	const orderBy = toOrdering(kind, query.orderBy);
	const leadingNullField = findLeadingNullField(kind, where, orderBy[0]?.[0]);
	const selection = { fields, where, orderBy, leadingNullField, hasLimit: limit !== undefined, hasOffset: offset > 0 };
	const offsets = offset > 0 ? [offset] : [];
	const branches = limit === undefined ? undefined : toBranches(kind, where, orderBy);
	if (limit !== undefined && branches) {
		const branchBindings = branches.flatMap((branch) => [...bindingsOf(branch.where, dialect), limit + offset]);
		return { statement: statements.selectMerged(kind, selection, branches), bindings: [...branchBindings, limit, ...offsets] };
	}
	if (limit !== undefined && isLatePage(kind, where, orderBy, offset)) {
		const conditions = bindingsOf(where, dialect);
		const bindings = [...conditions, latePageLookback + 1, offset - latePageLookback, ...conditions, limit, offset, ...conditions];
		return { statement: statements.selectLatePage(kind, selection), bindings };
	}
	// SQL does not allow an offset without a limit.
	const limits = limit === undefined && offset === 0 ? [] : [limit ?? Number.MAX_SAFE_INTEGER];
	return { statement: statements.select(kind, selection), bindings: [...bindingsOf(where, dialect), ...limits, ...offsets] };
}

export interface CountInput {
	readonly kind: EntityKind;
	readonly where: Conditions;
	/** Maximum number of rows to count. Undefined to count all rows. */
	readonly limit: number | undefined;
}

/** Returns the count of the matching rows. Its result may exceed the limit if an exact count is not more expensive. */
export function toCount(statements: Statements, { kind, where, limit }: CountInput): Step {
	const comparisons = toComparisons(kind, where);
	const field = toNullField(kind, comparisons);
	const isLimited = limit !== undefined;
	const canStopAtLimit = isLimited && statements.dialect.countsEveryRow && field !== undefined && isInTimeIndex(kind, field);
	if (field !== undefined && !canStopAtLimit) return { statement: statements.countNulls(kind, field), bindings: [] };
	const bindings = bindingsOf(comparisons, statements.dialect);
	return { statement: statements.count(kind, comparisons, isLimited), bindings: isLimited ? [...bindings, limit] : bindings };
}

/** Returns the field that must be null if this is the only condition and a sparse index begins with the field. */
function toNullField(kind: EntityKind, where: readonly Comparison[]): string | undefined {
	const [{ field, form } = { field: "", form: "never" }, ...others] = where;
	return form === "null" && others.length === 0 && hasSparseIndexOn(kind, field) ? field : undefined;
}

/** Returns the requested fields in column order, or all fields. The id is always the first. */
export function toFields(kind: EntityKind, names: readonly string[] | undefined): readonly Field[] {
	const fields = fieldsOf(kind);
	return names ? fields.filter(([name]) => name === "id" || names.includes(name)) : fields;
}

/**
 * Appends the id to the requested order, so that pages neither omit nor repeat rows with equal values. Throws `SVC_INVALID` for a field
 * that lists cannot sort by.
 */
export function toOrdering(kind: EntityKind, orderBy: Ordering = []): Ordering {
	for (const [field] of orderBy) assertScalarField(kind, field);
	return [...orderBy, ["id", orderBy.at(-1)?.[1] ?? "asc"]];
}

/** Returns true for a late page of a list that is sorted by time, if the time of its first row can be found in an index alone. */
function isLatePage(kind: EntityKind, where: readonly Comparison[], [first]: Ordering, offset: number): boolean {
	const timeline = timeFieldOf(kind);
	// For a small offset it is faster to read and discard the rows.
	if (offset < latePageLookback || timeline === undefined || first?.[0] !== timeline) return false;
	if (findLeadingNullField(kind, where, timeline) !== undefined) return true;
	return indexesOf(kind).some((fields) => {
		const leading = fields.slice(0, fields.indexOf(timeline));
		return (
			fields.includes(timeline) &&
			leading.every((field) => where.some((comparison) => comparison.field === field && comparison.form === "equal")) &&
			where.every(({ field }) => fields.includes(field))
		);
	});
}

/** Maximum number of branches. With more branches, sorting all matching rows is not slower. */
const maxBranches = 20;

/**
 * Divides a select with a limit into branches. This is done if reading the first rows of each branch from an index and merging them is
 * faster than sorting all matching rows. There is one branch for each value of an `in`. If the sort field is often null, or a sparse
 * index omits its nulls, null has one branch and all other values have another.
 */
function toBranches(kind: EntityKind, where: readonly Comparison[], orderBy: Ordering): readonly Branch[] | undefined {
	const parts = splitByValue(kind, where, orderBy) ?? splitByNull(kind, where, orderBy);
	// Leave out fields that have a single value in the branch: they do not affect the order.
	return parts?.map((part) => ({ where: part, orderBy: orderBy.filter(([field]) => !hasSingleValue(part, field)) }));
}

function splitByValue(kind: EntityKind, where: readonly Comparison[], [first]: Ordering): Comparison[][] | undefined {
	const lists = where.filter(({ form }) => form === "in");
	const [list] = lists;
	if (!list || !first || lists.length > 1 || !hasIndex(kind, list.field, first[0])) return undefined;
	const values = [...new Set(list.bindings)];
	if (values.length > maxBranches) return undefined;
	return values.map((value) =>
		where.map((comparison) => (comparison === list ? { field: list.field, form: "equal", bindings: [value] } : comparison)),
	);
}

function splitByNull(kind: EntityKind, where: readonly Comparison[], [first]: Ordering): Comparison[][] | undefined {
	const field = first?.[0] ?? "";
	if (where.some((comparison) => comparison.field === field)) return undefined;
	if (!hasIndexWithManyNulls(kind, field)) return undefined;
	return (["null", "not-null"] as const).map((form) => [...where, { field, form, bindings: [] }]);
}

/** Returns true if the field has one value in all matching rows. */
function hasSingleValue(where: readonly Comparison[], field: string): boolean {
	return where.some((comparison) => comparison.field === field && (comparison.form === "equal" || comparison.form === "null"));
}

function hasIndex(kind: EntityKind, field: string, order: string): boolean {
	return indexesOf(kind).some(([leading, second]) => leading === field && second === order);
}
