import type { ApiClient } from "./api-client.ts";
import type { ListPage, ListQuery } from "./page.ts";

/** Client for records of one kind that requests create and replace. */
export interface RecordClient<Record, Request> {
	list(query?: ListQuery): Promise<ListPage<Record>>;
	/** Returns the record with a ref or id. */
	get(refOrId: string): Promise<Record>;
	create(request: Request): Promise<Record>;
	/** Replaces a record. */
	update(refOrId: string, request: Request): Promise<Record>;
	remove(refOrId: string): Promise<void>;
}

/** @param path path of the list after the version, such as `/rules` */
export function createRecordClient<Record, Request>({ read, list, call }: ApiClient, path: string): RecordClient<Record, Request> {
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
