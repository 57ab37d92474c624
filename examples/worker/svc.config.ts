import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { flatFile } from "svc-automation/plugins-auth/flat-file";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { localScript } from "svc-automation/plugins-runner/local-script";

// The actions of the pack site run on a worker that accepts no connections. It fetches its work with an API key limited to that.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand(), localScript()],
	workers: { runners: ["local-shell-script"] },
	packs: ["packs"],
	data_dir: "../../data/worker",
	auth: { backend: flatFile({}) },
	rbac: {
		enable: true,
		roles: [{ name: "site", permission_grants: [{ resource_uid: "worker:site-hamburg", permission_types: ["worker_take"] }] }],
		assignments: [
			{ username: "admin", roles: ["admin"] },
			{ username: "hamburg", roles: ["site"] },
		],
	},
});
