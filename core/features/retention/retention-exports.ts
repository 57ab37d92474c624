import type { Principal } from "../../kernel/basics/principal.ts";
import type { RemovedRecords } from "../../kernel/expiry/removal.ts";

/** Removal of old records. */
export interface Retention {
	/**
	 * Removes expired records now, instead of at the next `garbagecollector.collection_interval`. Returns true if this node did it.
	 * Returns false if another node is doing it, or if the service is stopping.
	 */
	collect(): Promise<boolean>;
	/**
	 * Removes records of a kind that are older than a time, for about one second. If more remain, `next` in the report is set.
	 * Throws `SVC_NOT_FOUND` for an unknown kind.
	 */
	purge(kind: string, input: PurgeInput, principal: Principal): Promise<PurgeReport>;
}

export interface PurgeInput {
	/** Time limit: older records are removed. It must not be in the future. */
	readonly timestamp: string;
	/** Ref of an action, to remove only its executions. */
	readonly action_ref?: string;
	/** True to remove also executions that have not ended and that no node runs. */
	readonly purge_incomplete?: boolean;
	/** True to count the records instead of removing them. */
	readonly dry_run?: boolean;
	/** Value of `next` from an earlier report. */
	readonly from?: string;
}

export interface PurgeReport {
	readonly removed: RemovedRecords;
	/** Position at which to continue. Null when all records were checked. */
	readonly next: string | null;
}
