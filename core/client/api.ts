import type { ListPage, ListQuery } from "./records.ts";
import type { RequestOptions } from "./request.ts";

/** How the part of a feature in the client calls the API. */
export interface Api {
	/** An answer as it is. */
	call(path: string, init?: RequestOptions): Promise<Response>;
	read<T>(path: string, init?: RequestOptions): Promise<T>;
	list<T>(path: string, query?: ListQuery): Promise<ListPage<T>>;
}
