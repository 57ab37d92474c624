import { listStart } from "../kernel/basics/pagination.ts";
import type { Paging } from "./paging.ts";
import type { Reply } from "./replies.ts";
import { replyPageOrAll } from "./streamed-list.ts";

/**
 * Returns the reply with a page of records that have already been read, or with all of them in batches. `present` converts only the
 * batch that is sent next, so that a long list does not delay other requests.
 */
export function replyRecords<T>(
	context: Parameters<typeof replyPageOrAll>[0],
	paging: Paging,
	records: readonly T[],
	present: (batch: readonly T[]) => Promise<readonly unknown[]> | readonly unknown[],
): Promise<Reply> {
	const total = records.length;
	return replyPageOrAll(context, paging, async ({ offset = 0, limit = total, after = listStart }) => {
		const start = after === listStart ? offset : after.offset;
		const end = start + limit;
		return { items: await present(records.slice(start, end)), total, ...(end < total && { next: { ...after, offset: end } }) };
	});
}
