import type { EntityKind } from "../../core/contract/index.ts";
import type { Comparison } from "./conditions.ts";
import { indexesOf } from "./indexes.ts";
import type { Ordering } from "./statements.ts";
import type { Binding } from "./values.ts";

/** Above this many values a sort of all that matches is no worse. */
const mostBranches = 20;

/**
 * The conditions of one branch for each value of an `in`, when reading the first rows of every branch from an index and
 * merging them is quicker than sorting all that match: an index on the field and then the order, and a limit.
 */
export function toBranches(kind: EntityKind, where: readonly Comparison[], orderBy: Ordering): Comparison[][] | undefined {
	const lists = where.filter(({ form }) => form === "in");
	const [list] = lists;
	const [first] = orderBy;
	if (!list || !first || lists.length > 1 || !hasIndex(kind, list.field, first[0])) return undefined;
	const values = [...new Set(JSON.parse(String(list.bindings[0])) as Binding[])];
	if (values.length > mostBranches) return undefined;
	return values.map((value) =>
		where.map((comparison) => (comparison === list ? { field: list.field, form: "equal", bindings: [value] } : comparison)),
	);
}

function hasIndex(kind: EntityKind, field: string, order: string): boolean {
	return indexesOf(kind).some(([leading, second]) => leading === field && second === order);
}
