import type { Principal } from "../../kernel/basics/principal.ts";
import type { RemovedRecords } from "../../kernel/expiry/removal.ts";

/** How long records are kept. */
export interface Retention {
	/**
	 * Remove now what has passed its time, instead of at the next `garbagecollector.collection_interval`: whether it was done here.
	 * False when another node is at it, or the service stops.
	 */
	collect(): Promise<boolean>;
	/**
	 * Remove records of a kind that are older than a time, for about a second; where it says so, there is more to do. `SVC_NOT_FOUND`
	 * for an unknown kind.
	 */
	purge(kind: string, input: PurgeInput, principal: Principal): Promise<PurgeReport>;
}

export interface PurgeInput {
	/** What is older is removed; not in the future. */
	readonly timestamp: string;
	/** Executions of this action only. */
	readonly action_ref?: string;
	/** Also executions that have not ended and that no node runs. */
	readonly purge_incomplete?: boolean;
	/** Remove nothing, and count what would be. */
	readonly dry_run?: boolean;
	/** `next` of an earlier answer. */
	readonly from?: string;
}

export interface PurgeReport {
	readonly removed: RemovedRecords;
	/** Where to go on; null when everything has been looked at. */
	readonly next: string | null;
}
