import { defineConfig } from "svc-automation";
import type { RunnerPlugin } from "svc-automation/contract";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { flatFile } from "svc-automation/plugins-auth/flat-file";
import { containerRunner } from "svc-automation/plugins-runner/container";
import { kubernetesJob } from "svc-automation/plugins-runner/kubernetes-job";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { remoteCommand } from "svc-automation/plugins-runner/remote-command";
import { slurm } from "svc-automation/plugins-runner/slurm";
import { weakenedRunner } from "./weakened-runner.ts";

// A service whose runs go to engines. The test says by environment which there are, and what is taken out.
const { CHAOS_ENGINES: given = "{}", CHAOS_WITHOUT: without = "{}", CHAOS_PACKS: packs } = process.env;

/** What makes the runner of an engine of its options. */
const makers: Readonly<Record<string, (options: never) => RunnerPlugin>> = {
	podman: containerRunner,
	docker: containerRunner,
	slurm,
	kubernetes: kubernetesJob,
	ssh: () => remoteCommand(),
};
const optionsOf = JSON.parse(given) as Readonly<Record<string, object>>;
const weaknesses = JSON.parse(without) as Readonly<Record<string, readonly string[]>>;

export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [
		localCommand(),
		...Object.entries(optionsOf).flatMap(([name, options]) => {
			const made = makers[name]?.(options as never);
			// The types of their runners are the names of the engines: two may be of one kind.
			return made === undefined ? [] : [weakenedRunner({ ...made, name }, weaknesses[name] ?? [])];
		}),
	],
	packs: packs === undefined ? [] : [packs],
	auth: { backend: flatFile(), listen: false },
	api: { port: 0 },
	stream: { listen: false },
	// The runner's own options are of the service.
	ssh_runner: optionsOf["ssh"] ?? {},
	log: { level: "warn", format: "json" },
});
