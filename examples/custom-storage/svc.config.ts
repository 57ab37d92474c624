import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { journalStorage } from "./journal-storage.ts";

export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: journalStorage({}),
	event_bus: memoryBus(),
	runners: [localCommand()],
	data_dir: "../../data/custom-storage",
	// The service listens on this machine only, so that no user has to sign in.
	auth: { enable: false },
});
