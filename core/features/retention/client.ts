import type { Api } from "../../client/api.ts";

/** What to remove: see `POST /v1/purge/<records>` in the HTTP API. */
export interface PurgeRequest {
	readonly timestamp: string;
	readonly action_ref?: string | undefined;
	readonly purge_incomplete?: boolean | undefined;
	readonly dry_run?: boolean | undefined;
	readonly from?: string | undefined;
}

/** What a removal has removed, or would remove. */
export interface PurgeRecord {
	/** Records removed, by kind. */
	readonly removed: Readonly<Record<string, number>>;
	/** To be sent as `from`, as there is more to look at; null at the end. */
	readonly next: string | null;
}

/** The removal of old records. */
export interface PurgeClient {
	/** Remove old records of a kind, for about a second. */
	purge(records: string, request: PurgeRequest): Promise<PurgeRecord>;
}

export function createPurgeClient({ read }: Api): PurgeClient {
	return { purge: (records, body) => read(`/purge/${encodeURIComponent(records)}`, { method: "POST", body }) };
}
