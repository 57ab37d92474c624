import type { EntityKind } from "../../core/contract/index.ts";
import type { Comparison } from "./conditions.ts";
import { indexesOf, leadsWithNulls } from "./indexes.ts";
import type { Branch, Ordering } from "./statements.ts";

/** Above this many values a sort of all that matches is no worse. */
const mostBranches = 20;

/**
 * The branches of a select with a limit, when reading the first rows of every branch from an index and merging them is quicker
 * than sorting all that match: one for each value of an `in`, or one for null and one for all else where many have null, or an
 * index has no place for it.
 */
export function toBranches(kind: EntityKind, where: readonly Comparison[], orderBy: Ordering): readonly Branch[] | undefined {
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
