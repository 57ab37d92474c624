import type { ApiClient } from "./api-client.ts";
import type { ListPage, ListQuery } from "./page.ts";

/** Client for records of one kind that requests create and replace. */
export interface RecordClient<Item, Input> {
	list(query?: ListQuery): Promise<ListPage<Item>>;
	/** Returns the record with a ref or id. */
	get(refOrId: string): Promise<Item>;
	create(request: Input): Promise<Item>;
	/** Replaces a record. */
	update(refOrId: string, request: Input): Promise<Item>;
	remove(refOrId: string): Promise<void>;
}

/**
 * Creates a client for the records of one kind.
 *
 * @param path path of their list after the version, such as `/rules`
 */
export function createRecordClient<Item, Input>({ read, list, call }: ApiClient, path: string): RecordClient<Item, Input> {
	const at = (refOrId: string) => `${path}/${encodeURIComponent(refOrId)}`;
	return {
		list: (query) => list(path, query),
		get: (refOrId) => read(at(refOrId)),
		create: (body) => read(path, { method: "POST", body }),
		update: (refOrId, body) => read(at(refOrId), { method: "PUT", body }),
		async remove(refOrId) {
			await call(at(refOrId), { method: "DELETE" });
		},
	};
}
