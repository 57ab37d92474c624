import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { inbox } from "./inbox.ts";

// A new file in data/custom-sensor/inbox starts the action of the rule in packs/office/rules.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand()],
	sensors: [inbox({})],
	packs: ["packs"],
	data_dir: "../../data/custom-sensor",
	// The service listens on this machine only, so that no user has to sign in.
	auth: { enable: false },
});
