import type { ApiClient, CallOptions } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { JsonObject, JsonValue } from "../../contract/index.ts";

/** A pending inquiry. */
export interface InquiryRecord {
	/** Id of the pending execution. */
	readonly id: string;
	readonly route: string;
	/** Lifetime of the inquiry in minutes; 0 or less if it never times out. */
	readonly ttl: number;
	readonly users: readonly string[];
	readonly roles: readonly string[];
	/** Schema of the response. */
	readonly schema: JsonObject;
}

/** Client for the pending inquiries of a service. */
export interface InquiryClient {
	list(query?: ListQuery, options?: CallOptions): Promise<ListPage<InquiryRecord>>;
	get(id: string): Promise<InquiryRecord>;
	/** Responds to an inquiry. Returns the stored response with its secrets masked. */
	respond(id: string, response: JsonObject, reason?: string): Promise<{ readonly id: string; readonly response: JsonValue }>;
}

export function createInquiryClient({ read, list }: ApiClient): InquiryClient {
	const at = encodeURIComponent;
	return {
		list: (query, waiting) => list("/inquiries", query, waiting),
		get: (id) => read(`/inquiries/${at(id)}`),
		respond: (id, response, reason) =>
			read(`/inquiries/${at(id)}`, { method: "PUT", body: { id, response, ...(reason !== undefined && { reason }) } }),
	};
}
