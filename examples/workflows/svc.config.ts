import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { inquirer } from "svc-automation/plugins-runner/inquirer";
import { localScript } from "svc-automation/plugins-runner/local-script";
import { workflow } from "svc-automation/plugins-runner/workflow";

// A service that runs the workflows of the pack "site". Users do not sign in, so run it only on your own machine.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [workflow(), localScript(), inquirer()],
	packs: ["./packs"],
	configs: "./configs",
	data_dir: "../../data/workflows",
	auth: { enable: false },
});
