import type { ApiClient } from "../../client/api-client.ts";

/** Conditions for the records to remove: see `POST /v1/purge/<records>` in the HTTP API. */
export interface PurgeRequest {
	readonly timestamp: string;
	readonly action_ref?: string | undefined;
	readonly purge_incomplete?: boolean | undefined;
	readonly dry_run?: boolean | undefined;
	readonly from?: string | undefined;
}

/** Result of a purge: the records that it removed, or would remove in a dry run. */
export interface PurgeRecord {
	/** Numbers of removed records, by kind. */
	readonly removed: Readonly<Record<string, number>>;
	/** Value to send as `from` in the next request, because more records remain to be checked. Null at the end. */
	readonly next: string | null;
}

/** Client for the removal of old records. */
export interface PurgeClient {
	/** Removes old records of a kind. A call begins no new page of records after one second. */
	purge(records: string, request: PurgeRequest): Promise<PurgeRecord>;
}

export function createPurgeClient({ read }: ApiClient): PurgeClient {
	return { purge: (records, body) => read(`/purge/${encodeURIComponent(records)}`, { method: "POST", body }) };
}
