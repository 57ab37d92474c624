import { readJson } from "./request.ts";

/** Query of a list, with the parameter names of the API: `limit`, `offset`, `sort`, filters. Undefined members are not sent. */
export type ListQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** A page of a list, with the total count. */
export interface ListPage<T> {
	readonly items: readonly T[];
	/** Number of matching records, regardless of paging. Undefined if the service does not report it. */
	readonly total: number | undefined;
	/** True if more records match than `total`: the service counts only up to `api.exact_total_limit`. Absent otherwise. */
	readonly hasMore?: boolean;
	readonly limit: number | undefined;
}

/** Reads a page from a response: the records from its body, the counts from its headers. */
export async function toPage<T>(response: Response): Promise<ListPage<T>> {
	const count = (header: string) => {
		const value = response.headers.get(header);
		return value === null ? undefined : Number(value);
	};
	const hasMore = response.headers.get("x-total-count-exact") === "false";
	return { items: await readJson<T[]>(response), total: count("x-total-count"), limit: count("x-limit"), ...(hasMore && { hasMore }) };
}
