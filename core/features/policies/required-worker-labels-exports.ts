import type { RunContext } from "../../contract/index.ts";

/** Fields of a run that determine which policies apply to it. */
export type LabelledRun = Pick<RunContext, "action_ref" | "pack" | "user">;

/** Labels that policies require of the workers that may carry out a run. */
export interface RequiredWorkerLabels {
	/** Required labels, unique and sorted; empty if none are required. */
	readonly labels: readonly string[];
	/** Refs of the policies that require the labels. */
	readonly policies: readonly string[];
}

/** Returns the demand for a run that starts now. Throws `SVC_UNAVAILABLE` if it cannot be read; the run must not start in that case. */
export type FindRequiredLabels = (run: LabelledRun) => Promise<RequiredWorkerLabels>;
