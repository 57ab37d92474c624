import type { EntityKind } from "../../core/contract/index.ts";
import type { Comparison } from "./conditions.ts";
import { indexesOf, timelineOf, toNullLead } from "./indexes.ts";
import { nearby, type Ordering } from "./statements.ts";

/** Whether a page is late in a list, and its first row can be found by an index alone: by the time it has there. */
export function isLatePage(kind: EntityKind, where: readonly Comparison[], [first]: Ordering, offset: number): boolean {
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
