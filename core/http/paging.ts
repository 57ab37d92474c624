import { SvcError } from "../contract/index.ts";
import type { RouteContext } from "./route.ts";

/** Query parameters that select a page of a list. */
export const pagingQuery = { limit: "integer", offset: "integer" } as const;

export interface Paging {
	/** Maximum number of records; undefined for all. */
	readonly limit?: number;
	readonly offset: number;
	/** Number of records up to which the total is counted exactly. */
	readonly exactTotal: number;
}

/** Value of `limit` that requests all records. */
const noLimit = -1;
const maxOffset = 2 ** 31 - 1;

/**
 * Returns the limit and offset that apply to a request. Throws `SVC_INVALID` for invalid values, and `SVC_FORBIDDEN` for a limit
 * that only administrators may use.
 */
export function parsePaging(context: RouteContext<unknown, typeof pagingQuery>, defaultLimit?: number): Paging {
	const { limit = defaultLimit ?? noLimit, offset = 0 } = context.query;
	const { max_page_size, exact_total_limit: exactTotal } = context.options.api;
	if (limit === 0 || limit < noLimit)
		throw new SvcError("SVC_INVALID", `limit: must be a positive integer, or -1 for all records, got ${limit}`);
	if (offset < 0 || offset > maxOffset) throw new SvcError("SVC_INVALID", `offset: must be from 0 to ${maxOffset}, got ${offset}`);
	const isRestricted = context.query.limit !== undefined && !context.principal.isAdmin;
	if (isRestricted && (limit === noLimit || limit > max_page_size)) {
		throw new SvcError("SVC_FORBIDDEN", `limit: must be at most ${max_page_size} for users who are not administrators, got ${limit}`);
	}
	return { ...(limit !== noLimit && { limit }), offset, exactTotal };
}

/** Returns the headers with the total number of records, and with a note if it exceeds the number that is counted exactly. */
export function toCountHeaders(total: number, { limit, exactTotal }: Paging): Record<string, string> {
	return {
		"x-total-count": String(Math.min(total, exactTotal)),
		...(total > exactTotal && { "x-total-count-exact": "false" }),
		...(limit !== undefined && { "x-limit": String(limit) }),
	};
}
