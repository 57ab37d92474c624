import { parseTimestamp } from "./timestamp.ts";

/**
 * Parses the query parameters `<name>_gt` and `<name>_lt`. Returns undefined if neither is given. Throws `SVC_INVALID` for an
 * invalid time.
 */
export function parseTimeRange(
	name: string,
	{ gt, lt }: { readonly gt: string | undefined; readonly lt: string | undefined },
): { readonly gt?: string; readonly lt?: string } | undefined {
	if (gt === undefined && lt === undefined) return undefined;
	return {
		...(gt !== undefined && { gt: parseTimestamp(`${name}_gt`, gt) }),
		...(lt !== undefined && { lt: parseTimestamp(`${name}_lt`, lt) }),
	};
}
