import { type ParameterDefinitions, RunAborted, type RunContext } from "../../core/contract/index.ts";

/** Parameters of the runner. Those that decide what a job runs, on which nodes, and which account pays are reserved. */
export const slurmParameters = {
	cmd: { type: "string", reserved: true, description: "Command line that the shell runs, for actions without an entry point." },
	env: { type: "object", description: "Environment variables for the job." },
	cwd: {
		type: "string",
		reserved: true,
		description: "Working directory on the nodes of the cluster. Default: a separate directory for each run.",
	},
	kwarg_op: { type: "string", default: "--", reserved: true, description: "Prefix of the names of named arguments." },
	partition: { type: "string", reserved: true, description: "Partition, or several separated by commas." },
	account: { type: "string", reserved: true, description: "Account to charge." },
	qos: { type: "string", reserved: true, description: "Quality of service." },
	reservation: { type: "string", reserved: true, description: "Reservation to use." },
	constraint: { type: "string", reserved: true, description: "Features that nodes must have, such as `gpu&ib`." },
	gres: { type: "string", reserved: true, description: "Generic resources for each node, such as `gpu:2`." },
	nodes: { type: "integer", description: "How many nodes." },
	ntasks: { type: "integer", description: "Number of tasks that `srun` starts." },
	cpus_per_task: { type: "integer", description: "CPUs for each task." },
	memory: { type: "string", description: "Memory for each node, such as `4G`." },
	time_limit: {
		type: "integer",
		description: "Maximum seconds that the job runs, without waiting time; Slurm rounds up to minutes.",
	},
	timeout: { type: "integer", description: "Seconds after which the action is ended, including waiting time. Default: no limit." },
	array: { description: "Number of tasks, or a list of items; each task gets its item as `SVC_ITEM`." },
	array_limit: { type: "integer", description: "Maximum number of tasks of the array that run concurrently." },
} as const satisfies ParameterDefinitions;

export type SlurmContext = RunContext<typeof slurmParameters>;

/** Returns true if the service is stopping and the job continues without it. */
export function isLeft({ signal }: Pick<SlurmContext, "signal">): boolean {
	const reason: unknown = signal.reason;
	return reason instanceof RunAborted && reason.kind === "shutdown";
}
