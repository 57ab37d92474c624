import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { pythonScript } from "svc-automation/plugins-runner/python-script";

// The sensor of the pack "inbox" is a Python class, which python-script runs. Users do not sign in, so run it only on your own machine.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand(), pythonScript()],
	packs: ["./packs"],
	data_dir: "../../data/python-sensor",
	auth: { enable: false },
});
