import type { Page, Paging } from "../../core/feature.ts";
import type { AuditCheckpointEntity, AuditEntryEntity } from "./entities.ts";
import type { StoredAuditReport } from "./stored-chain-verification.ts";

/** Filter of audit entries. */
export interface AuditFilter {
	readonly user?: string;
	readonly record_kind?: string;
	readonly ref?: string;
	readonly verb?: string | readonly string[];
	readonly outcome?: string | readonly string[];
	readonly timestamp?: { readonly gt?: string; readonly lt?: string };
	/** Only entries with a greater number. */
	readonly after?: number;
}

export interface AuditQuery extends Paging {
	readonly filter?: AuditFilter;
	/** Order by number. Default: descending, the newest first. */
	readonly direction?: "asc" | "desc";
}

/** Audit record: the users who have changed records, and their changes. */
export interface Audit {
	entries(query: AuditQuery): Promise<Page<AuditEntryEntity>>;
	/** Returns the stored checkpoints by number. */
	checkpoints(): Promise<readonly AuditCheckpointEntity[]>;
	/** Signs the current end of the record and stores the checkpoint. */
	checkpoint(): Promise<AuditCheckpointEntity>;
	/** Verifies the record against the stored checkpoints. Reads all entries. */
	report(): Promise<StoredAuditReport>;
}
