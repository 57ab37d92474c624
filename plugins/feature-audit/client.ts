import type { ApiClient, CallOptions, ListPage, ListQuery } from "../../core/features/clients.ts";
import type { AuditCheckpointEntity, AuditEntryEntity } from "./entities.ts";

/** Entry of the audit record. */
export interface AuditEntryRecord extends Omit<AuditEntryEntity, "id"> {}

/** Signed state of the audit record at a point in time. */
export interface AuditCheckpointRecord extends Omit<AuditCheckpointEntity, "id"> {}

/** Result of verifying the audit record in the service. */
export interface AuditReportRecord {
	readonly entries: number;
	/** Numbers of the first and the last entry; null if there are no entries. */
	readonly first: number | null;
	readonly last: number | null;
	/** Number of checkpoints that the record was compared with. */
	readonly checkpoints: number;
	/** Ids of the keys that have signed the checkpoints. */
	readonly keys: readonly string[];
	/** Differences from the record as it was written: the first 100 of `findings_total`. */
	readonly findings: readonly { readonly number: number; readonly problem: string }[];
	readonly findings_total: number;
}

/** Client for the audit record of a service. */
export interface AuditClient {
	/** Lists entries, the newest first. With `after`, lists the entries after that number, the oldest first. */
	list(query?: ListQuery, waiting?: CallOptions): Promise<ListPage<AuditEntryRecord>>;
	/** Yields all entries after a number, in order. Default: all entries. */
	entries(after?: number): AsyncIterable<AuditEntryRecord>;
	/** Returns the stored checkpoints. */
	checkpoints(waiting?: CallOptions): Promise<readonly AuditCheckpointRecord[]>;
	/** Requests a signature of the current end of the record. */
	checkpoint(): Promise<AuditCheckpointRecord>;
	/** Requests a verification of the record by the service, which reads all entries. */
	report(waiting?: CallOptions): Promise<AuditReportRecord>;
}

export function createAuditClient({ read, list }: ApiClient): AuditClient {
	const page: AuditClient["list"] = (query, waiting) => list("/audit/entries", query, waiting);
	return {
		list: page,
		async *entries(after = 0) {
			for (let last = after; ; ) {
				const { items } = await page({ after: last });
				yield* items;
				const end = items.at(-1);
				if (end === undefined) return;
				last = end.number;
			}
		},
		checkpoints: async (waiting) => (await list<AuditCheckpointRecord>("/audit/checkpoints", {}, waiting)).items,
		checkpoint: () => read("/audit/checkpoint"),
		report: (waiting) => read("/audit/report", waiting),
	};
}
