import type { Api, Waiting } from "../../client/api.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { JsonObject, JsonValue } from "../../contract/index.ts";

/** A question that waits for an answer. */
export interface InquiryRecord {
	/** Id of the execution that asks. */
	readonly id: string;
	readonly route: string;
	/** Minutes; 0: for ever. */
	readonly ttl: number;
	readonly users: readonly string[];
	readonly roles: readonly string[];
	/** Schema of the answer. */
	readonly schema: JsonObject;
}

/** The questions of a service that wait for an answer. */
export interface InquiryClient {
	list(query?: ListQuery, options?: Waiting): Promise<ListPage<InquiryRecord>>;
	get(id: string): Promise<InquiryRecord>;
	/** Answer. The answer as it is kept comes back, its secrets masked. */
	respond(id: string, response: JsonObject, reason?: string): Promise<{ readonly id: string; readonly response: JsonValue }>;
}

export function createInquiryClient({ read, list }: Api): InquiryClient {
	const at = encodeURIComponent;
	return {
		list: (query, waiting) => list("/inquiries", query, waiting),
		get: (id) => read(`/inquiries/${at(id)}`),
		respond: (id, response, reason) =>
			read(`/inquiries/${at(id)}`, { method: "PUT", body: { id, response, ...(reason !== undefined && { reason }) } }),
	};
}
