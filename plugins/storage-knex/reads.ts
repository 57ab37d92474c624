import type { EntityKind, Query } from "../../core/contract/index.ts";
import { assertScalarField, bindingsOf, type Comparison, type Conditions, toComparisons } from "./conditions.ts";
import type { Step } from "./database-client.ts";
import { leadsSparseIndex, standsInTimeline, toNullLead } from "./indexes.ts";
import { isLatePage } from "./late-pages.ts";
import { toBranches } from "./merged-select.ts";
import { nearby, type Ordering, type Statements } from "./statements.ts";
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
