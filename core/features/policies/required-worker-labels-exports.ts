import type { RunContext, Runner } from "../../contract/index.ts";

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

/** Demands of policies that a worker carries out a run. */
export interface WorkerDemands {
	readonly findDemand: FindRequiredLabels;
	/**
	 * Returns the runner in a form that fails a run if a policy demands a worker for it, instead of carrying it out on this node.
	 *
	 * @param reason end of the error message, after "policies demand a worker with the labels …"
	 */
	refuseDemands(runner: Runner, reason: string): Runner;
	/** Called by the feature that gives runs to workers. Without it, every run for which a policy demands a worker fails. */
	meetDemands(): void;
}
