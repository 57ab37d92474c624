import type { Api, Waiting } from "../../client/api.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { AuditCheckpointEntity, AuditEntryEntity } from "../../contract/index.ts";

/** An entry of the audit record. */
export interface AuditEntryRecord extends Omit<AuditEntryEntity, "id"> {}

/** A signed word of what the audit record was at a moment. */
export interface AuditCheckpointRecord extends Omit<AuditCheckpointEntity, "id"> {}

/** What a look of the service at its audit record has found. */
export interface AuditReportRecord {
	readonly entries: number;
	/** Numbers; null where there are no entries. */
	readonly first: number | null;
	readonly last: number | null;
	/** Checkpoints that the record was compared with. */
	readonly checkpoints: number;
	/** Ids of the keys that have signed them. */
	readonly keys: readonly string[];
	/** What is not as it was written: the first hundred of `findings_total`. */
	readonly findings: readonly { readonly number: number; readonly problem: string }[];
	readonly findings_total: number;
}

/** The audit record of a service. */
export interface AuditClient {
	/** Entries, the newest first; with `after` those behind that number, the oldest first. */
	list(query?: ListQuery, waiting?: Waiting): Promise<ListPage<AuditEntryRecord>>;
	/** All entries behind a number, in order. Default: all. */
	entries(after?: number): AsyncIterable<AuditEntryRecord>;
	/** Those that the service keeps. */
	checkpoints(waiting?: Waiting): Promise<readonly AuditCheckpointRecord[]>;
	/** Have the service sign what the record is now. */
	checkpoint(): Promise<AuditCheckpointRecord>;
	/** Have the service look whether the record is as it was written; it reads all of it. */
	report(waiting?: Waiting): Promise<AuditReportRecord>;
}

export function createAuditClient({ read, list }: Api): AuditClient {
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
