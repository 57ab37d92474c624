import type { ListPage, ListQuery } from "./page.ts";

export interface Walk<T> {
	/** Reads a page. */
	readonly list: (query: ListQuery) => Promise<ListPage<T>>;
	/** What of the list is wanted; `limit` is how many a request asks for, default what the service gives without. */
	readonly query: ListQuery;
	/** Member with the time that the list is sorted by, which `sort=timestamp` and `timestamp_lt` mean. */
	readonly time: keyof T & string;
	/** Default the newest. */
	readonly oldestFirst?: boolean | undefined;
}

/**
 * All of a list that is sorted by time, however long: each page begins at the time where the one before it ended, so that a late page costs no
 * more than an early one, and what is added or removed meanwhile moves nothing past the reader.
 */
export async function* walkByTime<T extends { readonly id: string }>(walk: Walk<T>): AsyncGenerator<T> {
	const { list, time, oldestFirst = false } = walk;
	const query = { ...toQuery(walk), sort: oldestFirst ? "timestamp" : "-timestamp" };
	/** The time where the next page begins, and what has that time and was read already. */
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

/** A page may hold less than its limit, where not all of it may be seen. */
function isLast<T>({ items, total, hasMore, limit }: ListPage<T>, offset: number): boolean {
	if (limit === undefined) return true;
	return total === undefined ? items.length < limit : hasMore !== true && total <= offset + limit;
}

function toQuery<T>({ query, time }: Walk<T>): ListQuery {
	const { sort, offset, include_attributes: included, exclude_attributes: excluded } = query;
	if (sort !== undefined || offset !== undefined) throw new TypeError("sort, offset: a walk has an order of its own, from the first on");
	if (
		String(excluded ?? "")
			.split(",")
			.includes(time)
	)
		throw new TypeError(`exclude_attributes: a walk needs ${time}`);
	if (included === undefined || String(included).split(",").includes(time)) return query;
	return { ...query, include_attributes: `${included},${time}` };
}

/** The time so many microseconds later, as the service writes times: filters by time leave out the time itself. */
function beside(timestamp: string, microseconds: number): string {
	const [, fraction = ""] = /\.(\d+)Z$/.exec(timestamp) ?? [];
	const micro = Number(fraction.padEnd(6, "0").slice(0, 6)) + microseconds;
	const seconds = Date.parse(timestamp.replace(/(\.\d+)?Z$/, "Z")) / 1_000 + Math.floor(micro / 1_000_000);
	const rest = ((micro % 1_000_000) + 1_000_000) % 1_000_000;
	return `${new Date(seconds * 1_000).toISOString().slice(0, 19)}.${String(rest).padStart(6, "0")}Z`;
}
