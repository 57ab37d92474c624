import type { AuditCheckpointEntity, AuditEntryEntity } from "../../contract/index.ts";
import type { AuditHook } from "../../http/audit-hook.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { StoredAuditReport } from "./stored-report.ts";

/** Which entries are asked for. */
export interface AuditFilter {
	readonly user?: string;
	readonly record_kind?: string;
	readonly ref?: string;
	readonly verb?: string | readonly string[];
	readonly outcome?: string | readonly string[];
	readonly timestamp?: { readonly gt?: string; readonly lt?: string };
	/** Entries behind this one. */
	readonly after?: number;
}

export interface AuditQuery extends Paging {
	readonly filter?: AuditFilter;
	/** By number. Default: descending, the newest first. */
	readonly direction?: "asc" | "desc";
}

/** The record of who has changed what. */
export interface Audit {
	/** Has requests recorded. */
	readonly recorder: AuditHook;
	entries(query: AuditQuery): Promise<Page<AuditEntryEntity>>;
	/** Those that the storage keeps, by number. */
	checkpoints(): Promise<readonly AuditCheckpointEntity[]>;
	/** Sign what the record is now, and keep that. */
	checkpoint(): Promise<AuditCheckpointEntity>;
	/** Look whether the record is as it was written, by the checkpoints that the storage keeps. Reads all of it. */
	report(): Promise<StoredAuditReport>;
}
