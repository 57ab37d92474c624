import type { RunContext } from "../../contract/index.ts";

/** What of a run decides which policies are about it. */
export type DemandedOf = Pick<RunContext, "action_ref" | "pack" | "user">;

/** What policies say of the workers that may carry a run out. */
export interface Demand {
	/** Each once, in order; empty: nothing is demanded. */
	readonly labels: readonly string[];
	/** Refs of the policies that demand them. */
	readonly policies: readonly string[];
}

/** What is demanded of the workers of a run that begins now. `SVC_UNAVAILABLE` where that cannot be read: it must not begin then. */
export type FindDemand = (run: DemandedOf) => Promise<Demand>;
