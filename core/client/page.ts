import { readJson } from "./request.ts";

/** Query of a list, in the words of the API: `limit`, `offset`, `sort`, filters. Undefined members are not sent. */
export type ListQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** A part of a list, and how much there is. */
export interface ListPage<T> {
	readonly items: readonly T[];
	/** Records that match, paging ignored; undefined when the service does not tell. */
	readonly total: number | undefined;
	/** Whether more match than `total` says, which is how far the service counts (`api.exact_total_limit`). Absent: no. */
	readonly hasMore?: boolean;
	readonly limit: number | undefined;
}

/** The page that an answer holds: the records in its body, the numbers in its headers. */
export async function toPage<T>(response: Response): Promise<ListPage<T>> {
	const count = (header: string) => {
		const value = response.headers.get(header);
		return value === null ? undefined : Number(value);
	};
	const hasMore = response.headers.get("x-total-count-exact") === "false";
	return { items: await readJson<T[]>(response), total: count("x-total-count"), limit: count("x-limit"), ...(hasMore && { hasMore }) };
}
