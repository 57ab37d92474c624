import { beginning } from "../kernel/basics/pagination.ts";
import type { Paging } from "./paging.ts";
import type { Reply } from "./replies.ts";
import { replyPages } from "./streamed-list.ts";

/**
 * Answers with a page of records that have been read already, or with all of them piece by piece. Only what is sent next is made ready by `present`,
 * so that a long list does not hold up other requests.
 */
export function replyRecords<T>(
	context: Parameters<typeof replyPages>[0],
	paging: Paging,
	records: readonly T[],
	present: (part: readonly T[]) => Promise<readonly unknown[]> | readonly unknown[],
): Promise<Reply> {
	const total = records.length;
	return replyPages(context, paging, async ({ offset = 0, limit = total, after = beginning }) => {
		const start = after === beginning ? offset : after.offset;
		const end = start + limit;
		return { items: await present(records.slice(start, end)), total, ...(end < total && { next: { ...after, offset: end } }) };
	});
}
