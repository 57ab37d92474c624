import { defineRunner } from "../../core/contract/index.ts";
import { JobRuns } from "./job-runs.ts";
import type { SlurmOptions } from "./options.ts";
import { slurmParameters } from "./parameters.ts";

export type { SlurmOptions } from "./options.ts";

/** Runs a command or a script of a pack as a job of a Slurm cluster. */
export const slurm = defineRunner("slurm", (options: SlurmOptions) => {
	const runs = new JobRuns(options);
	return {
		description: "Runs a command or a script as a job in a Slurm cluster.",
		parameters: slurmParameters,
		capabilities: { streaming: true, cancellation: true, recovery: true },
		check: () => runs.check(),
		start: (context) => runs.start(context),
		stop: () => runs.stop(),
		run: (context) => runs.run(context),
		recover: (context, state) => runs.recover(context, state),
		afterRun: (run) => runs.afterRun(run),
	};
});
