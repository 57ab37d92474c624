import type { ListPage, ListQuery } from "../client/page.ts";

/**
 * Reads all records of a list, page by page: a list may have more records than the service returns at once to a user who is not an
 * administrator.
 */
export async function readAllPages<T>(list: (query: ListQuery) => Promise<ListPage<T>>, query: ListQuery): Promise<ListPage<T>> {
	const items: T[] = [];
	for (;;) {
		const page = await list({ ...query, offset: items.length });
		items.push(...page.items);
		if (page.items.length === 0 || page.limit === undefined || page.items.length < page.limit)
			return { items, total: items.length, limit: undefined };
	}
}
