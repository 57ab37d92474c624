import type { Api } from "../../client/api.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { AuditCheckpointEntity, AuditEntryEntity } from "../../contract/index.ts";

/** An entry of the audit record. */
export interface AuditEntryRecord extends Omit<AuditEntryEntity, "id"> {}

/** A signed word of what the audit record was at a moment. */
export interface AuditCheckpointRecord extends Omit<AuditCheckpointEntity, "id"> {}

/** The audit record of a service. */
export interface AuditClient {
	/** Entries, the newest first; with `after` those behind that number, the oldest first. */
	list(query?: ListQuery): Promise<ListPage<AuditEntryRecord>>;
	/** All entries behind a number, in order. Default: all. */
	entries(after?: number): AsyncIterable<AuditEntryRecord>;
	/** Those that the service keeps. */
	checkpoints(): Promise<readonly AuditCheckpointRecord[]>;
	/** Have the service sign what the record is now. */
	checkpoint(): Promise<AuditCheckpointRecord>;
}

export function createAuditClient({ read, list }: Api): AuditClient {
	const page = (query?: ListQuery) => list<AuditEntryRecord>("/audit/entries", query);
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
		checkpoints: async () => (await list<AuditCheckpointRecord>("/audit/checkpoints")).items,
		checkpoint: () => read("/audit/checkpoint"),
	};
}
