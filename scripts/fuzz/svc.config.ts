import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { flatFile } from "svc-automation/plugins-auth/flat-file";
import { announcement } from "svc-automation/plugins-runner/announcement";
import { injectTrigger } from "svc-automation/plugins-runner/inject-trigger";
import { inquirer } from "svc-automation/plugins-runner/inquirer";
import { noop } from "svc-automation/plugins-runner/noop";
import { singlePermission } from "./caller-names.ts";
import { plantFaults } from "./planted-faults.ts";
import { watchProcess } from "./watch-process.ts";

// The service that is fuzzed. It has no runner that starts programs or sends requests: what it is asked for is at random.
watchProcess();

export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: plantFaults(knexStorage({ client: "sqlite" }), process.env["FUZZ_PLANTED"] ?? ""),
	event_bus: memoryBus(),
	runners: [noop(), inquirer(), announcement(), injectTrigger()],
	packs: (process.env["FUZZ_PACKS"] ?? "").split(",").filter((path) => path !== ""),
	auth: { backend: flatFile(), listen: false },
	rbac: {
		enable: true,
		roles: [{ name: "single", permission_grants: [{ permission_types: [singlePermission] }] }],
		assignments: [
			{ username: "admin", roles: ["admin"] },
			{ username: "single", roles: ["single"] },
		],
	},
	api: { port: 0 },
	stream: { listen: false },
	log: { level: "warn", format: "json" },
});
