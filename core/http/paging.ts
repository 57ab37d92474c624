import { SvcError } from "../contract/index.ts";
import type { RouteContext } from "./route.ts";

/** Query parameters of lists. */
export const pagingQuery = { limit: "integer", offset: "integer" } as const;

export interface Paging {
	/** Undefined: everything. */
	readonly limit?: number;
	readonly offset: number;
	/** Up to this many the total is exact. */
	readonly exactTotal: number;
}

const everything = -1;
const largestOffset = 2 ** 31 - 1;

/** Limit and offset in force. Throws for values that are not allowed to anybody, or not to this caller. */
export function parsePaging(context: RouteContext<unknown, typeof pagingQuery>, defaultLimit?: number): Paging {
	const { limit = defaultLimit ?? everything, offset = 0 } = context.query;
	const { max_page_size, exact_total_limit: exactTotal } = context.options.api;
	if (limit === 0 || limit < everything)
		throw new SvcError("SVC_INVALID", `limit: must be a positive integer, or -1 for everything, got ${limit}`);
	if (offset < 0 || offset > largestOffset) throw new SvcError("SVC_INVALID", `offset: must be from 0 to ${largestOffset}, got ${offset}`);
	const restricted = context.query.limit !== undefined && !context.principal.isAdmin;
	if (restricted && (limit === everything || limit > max_page_size)) {
		throw new SvcError("SVC_FORBIDDEN", `limit: must be at most ${max_page_size} for users who are not administrators, got ${limit}`);
	}
	return { ...(limit !== everything && { limit }), offset, exactTotal };
}

/** Headers that tell how much there is, or that there is more than is counted. */
export function toCountHeaders(total: number, { limit, exactTotal }: Paging): Record<string, string> {
	return {
		"x-total-count": String(Math.min(total, exactTotal)),
		...(total > exactTotal && { "x-total-count-exact": "false" }),
		...(limit !== undefined && { "x-limit": String(limit) }),
	};
}
