import { type ParameterDefinitions, RunAborted, type RunContext } from "../../core/contract/index.ts";

/** Parameters of the runner. Those that decide what a pod runs, on which node, and with which account and code are reserved. */
export const kubernetesJobParameters = {
	image: { type: "string", required: true, reserved: true, description: "Image of the container." },
	cmd: {
		type: "string",
		reserved: true,
		description: "Command line for `/bin/sh` of the image, for actions without an entry point.",
	},
	command: {
		type: "array",
		reserved: true,
		description: "Command and arguments, without a shell; an alternative to `cmd`. Default: those of the image.",
	},
	env: { type: "object", description: "Environment variables, passed through a Secret." },
	cwd: { type: "string", reserved: true, description: "Working directory. Default: that of the image." },
	kwarg_op: { type: "string", default: "--", reserved: true, description: "Prefix of the names of named arguments." },
	namespace: { type: "string", reserved: true, description: "Namespace of the job." },
	service_account: {
		type: "string",
		reserved: true,
		description: "Service account of the pod. Without it, the pod has no token for the cluster.",
	},
	node_selector: { type: "object", reserved: true, description: "Labels that the Kubernetes node must have." },
	image_pull_policy: {
		type: "string",
		enum: ["Always", "IfNotPresent", "Never"],
		default: "IfNotPresent",
		reserved: true,
		description: "Pull policy of the image.",
	},
	image_pull_secrets: { type: "array", reserved: true, description: "Names of Secrets with credentials for image registries." },
	requests: { type: "object", description: "Resource requests of the pod, such as `{cpu: 500m, memory: 256Mi}`." },
	limits: { type: "object", description: "Resource limits of the pod, in the same form." },
	time_limit: { type: "integer", description: "Seconds after which the cluster ends the job, from the start of the job." },
	timeout: { type: "integer", description: "Seconds after which the action is ended, including waiting time. Default: no limit." },
} as const satisfies ParameterDefinitions;

export type JobContext = RunContext<typeof kubernetesJobParameters>;

/** Returns true if the service is stopping and the job continues without it. */
export function isLeft({ signal }: Pick<JobContext, "signal">): boolean {
	const reason: unknown = signal.reason;
	return reason instanceof RunAborted && reason.kind === "shutdown";
}
