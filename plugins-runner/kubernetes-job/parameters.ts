import { type ParameterDefinitions, RunAborted, type RunContext } from "../../core/contract/index.ts";

/** Parameters of the runner. Those that decide what a pod runs, on which node, and with which account and code are reserved. */
export const kubernetesJobParameters = {
	image: { type: "string", required: true, reserved: true, description: "Image of the container." },
	cmd: {
		type: "string",
		reserved: true,
		description: "Command line for the `/bin/sh` of the image, for actions without an entry point.",
	},
	command: {
		type: "array",
		reserved: true,
		description: "Command and arguments in the place of `cmd`, without a shell. Without either the image's own.",
	},
	env: { type: "object", description: "Environment variables; they go through a Secret." },
	cwd: { type: "string", reserved: true, description: "Working directory. Default: the image's." },
	kwarg_op: { type: "string", default: "--", reserved: true, description: "Operator in front of the names of named arguments." },
	namespace: { type: "string", reserved: true, description: "Namespace of the job." },
	service_account: {
		type: "string",
		reserved: true,
		description: "Service account of the pod. Without one it has no token for the cluster.",
	},
	node_selector: { type: "object", reserved: true, description: "Labels that the node must have." },
	image_pull_policy: {
		type: "string",
		enum: ["Always", "IfNotPresent", "Never"],
		default: "IfNotPresent",
		reserved: true,
		description: "When the image is pulled.",
	},
	image_pull_secrets: { type: "array", reserved: true, description: "Names of Secrets with credentials of registries." },
	requests: { type: "object", description: "What the pod needs, such as `{cpu: 500m, memory: 256Mi}`." },
	limits: { type: "object", description: "What it may use at most, in the same words." },
	time_limit: { type: "integer", description: "Seconds after which the cluster ends the job, counted from when it takes it up." },
	timeout: { type: "integer", description: "Seconds after which the action is ended, waiting included. Default: none." },
} as const satisfies ParameterDefinitions;

export type JobContext = RunContext<typeof kubernetesJobParameters>;

/** Returns true if the service is stopping and the job continues without it. */
export function isLeft({ signal }: Pick<JobContext, "signal">): boolean {
	const reason: unknown = signal.reason;
	return reason instanceof RunAborted && reason.kind === "shutdown";
}
