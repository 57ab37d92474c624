import type { EntityKind } from "../../core/contract/index.ts";
import type { Comparison } from "./conditions.ts";
import { indexesOf, timelineOf, toNullLead } from "./indexes.ts";
import type { Ordering } from "./statements.ts";

/** Rows before a page that are read and thrown away sooner than the place of the page is looked for. */
const fewSkipped = 100;

/** Whether a page is late in a list, and its first row can be found by an index alone: by the time it has there. */
export function isLatePage(kind: EntityKind, where: readonly Comparison[], [first]: Ordering, offset: number): boolean {
	const timeline = timelineOf(kind);
	if (offset < fewSkipped || timeline === undefined || first?.[0] !== timeline) return false;
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
