import { missing } from "../../../core/testing/test-requirements.ts";
import type { ChaosEngine } from "./chaos-engine.ts";
import { startDocker, startPodman } from "./container-engine.ts";
import { startKubernetes } from "./kubernetes-engine.ts";
import { startSlurmEngine } from "./slurm-engine.ts";
import { startSsh } from "./ssh-engine.ts";
import { WorkerChaos } from "./worker-engine.ts";

export const engineNames = ["podman", "docker", "slurm", "kubernetes", "worker", "ssh"] as const;

export type EngineName = (typeof engineNames)[number];

export interface EnginePlaces {
	/** Directory to which the commands write that they have begun. */
	readonly ledgers: string;
	/** Of the service. */
	readonly directory: string;
}

export const starters: Readonly<Record<EngineName, (places: EnginePlaces) => Promise<ChaosEngine>>> = {
	podman: ({ ledgers }) => startPodman(ledgers),
	docker: ({ ledgers }) => startDocker(ledgers),
	slurm: ({ ledgers }) => startSlurmEngine(ledgers),
	kubernetes: ({ ledgers }) => startKubernetes(ledgers),
	worker: async ({ ledgers, directory }) => new WorkerChaos(directory, ledgers),
	ssh: ({ ledgers }) => startSsh(ledgers),
};

const commands: Readonly<Record<EngineName, readonly string[]>> = {
	podman: ["podman", "runc", "busybox"],
	docker: ["dockerd", "containerd", "runc", "busybox"],
	slurm: ["slurmctld", "slurmd", "munged", "sbatch", "slurmdbd", "mariadbd"],
	kubernetes: [],
	worker: [],
	ssh: ["sshd", "ssh-keygen"],
};

/** What the machine must have for these engines; names what is missing, where something is. */
export function toRequirement(names: readonly EngineName[]): { readonly command: string; readonly root: true } {
	const needed = names.flatMap((name) => commands[name]);
	return { command: needed.find((command) => missing({ command }) !== undefined) ?? "sh", root: true };
}
