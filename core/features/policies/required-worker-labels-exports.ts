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

/** Functions with which other features find, refuse and take over the demands of policies for workers. */
export interface WorkerDemands {
	readonly findDemand: FindRequiredLabels;
	/**
	 * Returns the runner in a form that fails a run if a policy demands a worker for it, instead of carrying it out on this node.
	 *
	 * @param reason end of the error message, which begins with "policies require a worker with the labels … (…), "
	 */
	refuseDemands(runner: Runner, reason: string): Runner;
	/**
	 * Turns off the refusal by the policies feature, which fails every run for which a policy demands a worker. The caller must then give the
	 * runs of each runner to workers, or wrap the runner by `refuseDemands`. Call it in `create`, because runners are wrapped afterwards.
	 */
	takeOverDemands(): void;
}
