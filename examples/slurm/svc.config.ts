import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { slurm } from "svc-automation/plugins-runner/slurm";
import { workflow } from "svc-automation/plugins-runner/workflow";

// A directory that this machine and the nodes of the cluster share.
const directory = process.env["SHARED_DIRECTORY"] ?? "/shared/svc";

export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [slurm({ directory, defaults: { time_limit: 600 } }), workflow()],
	packs: ["packs"],
	data_dir: "../../data/slurm",
	// The service listens on this machine only, so that no user has to sign in.
	auth: { enable: false },
});
