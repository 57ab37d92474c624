import { defineRunner } from "../../core/contract/index.ts";
import { JobRuns } from "./job-runs.ts";
import type { KubernetesJobOptions } from "./options.ts";
import { kubernetesJobParameters } from "./parameters.ts";

export type { KubernetesJobOptions } from "./options.ts";

/** Runs a command, an image or a script of a pack as a Job of a Kubernetes cluster. */
export const kubernetesJob = defineRunner("kubernetes-job", (options: KubernetesJobOptions) => {
	const runs = new JobRuns(options);
	return {
		description: "Runs a container as a Job in a Kubernetes cluster.",
		parameters: kubernetesJobParameters,
		capabilities: { streaming: true, cancellation: true, recovery: true },
		check: () => runs.check(),
		start: (context) => runs.start(context),
		stop: () => runs.stop(),
		run: (context) => runs.run(context),
		recover: (context, state) => runs.recover(context, state),
		afterRun: (run) => runs.afterRun(run),
	};
});
