import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { program } from "./program.ts";

// The action in packs/logs uses the runner in program.ts.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [program({ grace: 5_000 })],
	packs: ["packs"],
	data_dir: "../../data/custom-runner",
	// The service listens on this machine only, so that no user has to sign in.
	auth: { enable: false },
});
