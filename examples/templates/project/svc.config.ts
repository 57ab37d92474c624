import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { packCompatibility } from "svc-automation/plugins/pack-compatibility";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { flatFile } from "svc-automation/plugins-auth/flat-file";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { localScript } from "svc-automation/plugins-runner/local-script";
import { workflow } from "svc-automation/plugins-runner/workflow";

// One node with its database and password file in ./data. Actions and rules are in ./packs.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand(), localScript(), workflow()],
	dialects: [packCompatibility()],
	packs: ["packs"],
	auth: { backend: flatFile() },
});
