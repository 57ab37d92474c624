import type { ListPage, ListQuery } from "./page.ts";

export interface TimePagination<T> {
	/** Reads a page. */
	readonly list: (query: ListQuery) => Promise<ListPage<T>>;
	/** Query of the list. `limit` is the number of records in each request; by default the service determines it. */
	readonly query: ListQuery;
	/** Name of the member with the time by which the list is sorted, and to which the parameters `timestamp_lt` and `timestamp_gt` refer. */
	readonly time: keyof T & string;
	/** True to begin with the oldest record. Default: false, the newest first. */
	readonly oldestFirst?: boolean | undefined;
}

/**
 * Yields all records of a list in the order of their time. Each page starts at the time of the last record that was read, instead of at an
 * offset. Late pages are therefore as cheap as early ones. Records that are added or removed in the meantime do not cause other records to
 * be skipped or repeated.
 */
export async function* paginateByTime<T extends { readonly id: string }>(walk: TimePagination<T>): AsyncGenerator<T> {
	const { list, time, oldestFirst = false } = walk;
	const query = { ...toQuery(walk), sort: oldestFirst ? "timestamp" : "-timestamp" };
	/** Time at which the next page starts. `seen` holds the ids of records with this time that were read before. */
	let place: string | undefined;
	let seen = new Set<string>();
	let offset = 0;
	for (;;) {
		const from = place === undefined ? {} : oldestFirst ? { timestamp_gt: beside(place, -1) } : { timestamp_lt: beside(place, 1) };
		const page = await list({ ...query, ...from, offset });
		for (const item of page.items) if (!seen.has(item.id)) yield item;
		if (isLast(page, offset)) return;
		const last = page.items.at(-1)?.[time] as string | undefined;
		if (last === undefined || last === place) offset += page.limit ?? page.items.length;
		else {
			[place, offset] = [last, 0];
			seen = new Set();
		}
		for (const item of page.items) if (item[time] === place) seen.add(item.id);
	}
}

/**
 * Returns true for the last page. A page with fewer records than its limit need not be the last one, because the service omits records that
 * the user may not see. The number of records decides only if the service reports no total.
 */
function isLast<T>({ items, total, hasMore, limit }: ListPage<T>, offset: number): boolean {
	if (limit === undefined) return true;
	return total === undefined ? items.length < limit : hasMore !== true && total <= offset + limit;
}

function toQuery<T>({ query, time }: TimePagination<T>): ListQuery {
	const { sort, offset, include_attributes: included, exclude_attributes: excluded } = query;
	if (sort !== undefined || offset !== undefined)
		throw new TypeError("sort, offset: not allowed while paging through all records, which has a fixed order");
	if (
		String(excluded ?? "")
			.split(",")
			.includes(time)
	)
		throw new TypeError(`exclude_attributes: paging through all records needs ${time}`);
	if (included === undefined || String(included).split(",").includes(time)) return query;
	return { ...query, include_attributes: `${included},${time}` };
}

/**
 * Returns the timestamp shifted by a number of microseconds, in the format of the service. Needed because time filters exclude the given
 * time.
 */
function beside(timestamp: string, microseconds: number): string {
	const [, fraction = ""] = /\.(\d+)Z$/.exec(timestamp) ?? [];
	const micro = Number(fraction.padEnd(6, "0").slice(0, 6)) + microseconds;
	const seconds = Date.parse(timestamp.replace(/(\.\d+)?Z$/, "Z")) / 1_000 + Math.floor(micro / 1_000_000);
	const rest = ((micro % 1_000_000) + 1_000_000) % 1_000_000;
	return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${String(rest).padStart(6, "0")}Z`;
}
