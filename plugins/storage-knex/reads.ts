import type { EntityKind, Query } from "../../core/contract/index.ts";
import { assertScalarField, bindingsOf, type Comparison, type Conditions, toComparisons } from "./conditions.ts";
import type { Step } from "./database-client.ts";
import { indexesOf, leadsSparseIndex, leadsWithNulls, standsInTimeline, timelineOf, toNullLead } from "./indexes.ts";
import { type Branch, nearby, type Ordering, type Statements } from "./statements.ts";
import { type Field, fieldsOf } from "./values.ts";

export interface SelectInput<E> {
	readonly kind: EntityKind;
	readonly query: Query<E>;
	readonly fields: readonly Field[];
}

export function toSelect<E>(statements: Statements, { kind, query, fields }: SelectInput<E>): Step {
	const { dialect } = statements;
	const { limit, offset = 0 } = query;
	const where = toComparisons(kind, (query.where ?? {}) as Conditions);
	const orderBy = toOrdering(kind, query.orderBy);
	const lead = toNullLead(kind, where, orderBy[0]?.[0]);
	const selection = { fields, where, orderBy, lead, limited: limit !== undefined, skipping: offset > 0 };
	const skipped = offset > 0 ? [offset] : [];
	const branches = limit === undefined ? undefined : toBranches(kind, where, orderBy);
	if (limit !== undefined && branches) {
		const firsts = branches.flatMap((branch) => [...bindingsOf(branch.where, dialect), limit + offset]);
		return { statement: statements.selectMerged(kind, selection, branches), bindings: [...firsts, limit, ...skipped] };
	}
	if (limit !== undefined && isLatePage(kind, where, orderBy, offset)) {
		const matching = bindingsOf(where, dialect);
		const bindings = [...matching, nearby + 1, offset - nearby, ...matching, limit, offset, ...matching];
		return { statement: statements.selectLate(kind, selection), bindings };
	}
	// SQL has no offset without a limit.
	const limits = limit === undefined && offset === 0 ? [] : [limit ?? Number.MAX_SAFE_INTEGER];
	return { statement: statements.select(kind, selection), bindings: [...bindingsOf(where, dialect), ...limits, ...skipped] };
}

export interface CountInput {
	readonly kind: EntityKind;
	readonly where: Conditions;
	/** Undefined: all are counted. */
	readonly limit: number | undefined;
}

/** Answers how many match, which may be more than the limit where that is no dearer. */
export function toCount(statements: Statements, { kind, where, limit }: CountInput): Step {
	const comparisons = toComparisons(kind, where);
	const field = toMissingField(kind, comparisons);
	const isLimited = limit !== undefined;
	const isCounted = isLimited && statements.dialect.countsEach && field !== undefined && standsInTimeline(kind, field);
	if (field !== undefined && !isCounted) return { statement: statements.countMissing(kind, field), bindings: [] };
	const bindings = bindingsOf(comparisons, statements.dialect);
	return { statement: statements.count(kind, comparisons, isLimited), bindings: isLimited ? [...bindings, limit] : bindings };
}

/** The one field that is asked to have no value, where an index has a place only for those with one. */
function toMissingField(kind: EntityKind, where: readonly Comparison[]): string | undefined {
	const [{ field, form } = { field: "", form: "never" }, ...others] = where;
	return form === "null" && others.length === 0 && leadsSparseIndex(kind, field) ? field : undefined;
}

/** The id comes first, whether it was asked for or not. */
export function toFields(kind: EntityKind, names: readonly string[] | undefined): readonly Field[] {
	const fields = fieldsOf(kind);
	return names ? fields.filter(([name]) => name === "id" || names.includes(name)) : fields;
}

/** Ends in the id, so that pages have no gap or repeat among equals. */
export function toOrdering(kind: EntityKind, orderBy: Ordering = []): Ordering {
	for (const [field] of orderBy) assertScalarField(kind, field);
	return [...orderBy, ["id", orderBy.at(-1)?.[1] ?? "asc"]];
}

/** Whether a page is late in a list, and its first row can be found by an index alone: by the time it has there. */
function isLatePage(kind: EntityKind, where: readonly Comparison[], [first]: Ordering, offset: number): boolean {
	const timeline = timelineOf(kind);
	// As many are read and thrown away sooner.
	if (offset < nearby || timeline === undefined || first?.[0] !== timeline) return false;
	if (toNullLead(kind, where, timeline) !== undefined) return true;
	return indexesOf(kind).some((fields) => {
		const leading = fields.slice(0, fields.indexOf(timeline));
		return (
			fields.includes(timeline) &&
			leading.every((field) => where.some((comparison) => comparison.field === field && comparison.form === "equal")) &&
			where.every(({ field }) => fields.includes(field))
		);
	});
}

/** Above this many values a sort of all that matches is no worse. */
const mostBranches = 20;

/**
 * The branches of a select with a limit, when reading the first rows of every branch from an index and merging them is quicker
 * than sorting all that match: one for each value of an `in`, or one for null and one for all else where many have null, or an
 * index has no place for it.
 */
function toBranches(kind: EntityKind, where: readonly Comparison[], orderBy: Ordering): readonly Branch[] | undefined {
	const parts = splitByValue(kind, where, orderBy) ?? splitByNull(kind, where, orderBy);
	// What is the same everywhere in a branch is no order.
	return parts?.map((part) => ({ where: part, orderBy: orderBy.filter(([field]) => !isFixed(part, field)) }));
}

function splitByValue(kind: EntityKind, where: readonly Comparison[], [first]: Ordering): Comparison[][] | undefined {
	const lists = where.filter(({ form }) => form === "in");
	const [list] = lists;
	if (!list || !first || lists.length > 1 || !hasIndex(kind, list.field, first[0])) return undefined;
	const values = [...new Set(list.bindings)];
	if (values.length > mostBranches) return undefined;
	return values.map((value) =>
		where.map((comparison) => (comparison === list ? { field: list.field, form: "equal", bindings: [value] } : comparison)),
	);
}

function splitByNull(kind: EntityKind, where: readonly Comparison[], [first]: Ordering): Comparison[][] | undefined {
	const field = first?.[0] ?? "";
	if (where.some((comparison) => comparison.field === field)) return undefined;
	if (!leadsWithNulls(kind, field)) return undefined;
	return (["null", "not-null"] as const).map((form) => [...where, { field, form, bindings: [] }]);
}

/** Whether all that match have one value there. */
function isFixed(where: readonly Comparison[], field: string): boolean {
	return where.some((comparison) => comparison.field === field && (comparison.form === "equal" || comparison.form === "null"));
}

function hasIndex(kind: EntityKind, field: string, order: string): boolean {
	return indexesOf(kind).some(([leading, second]) => leading === field && second === order);
}
