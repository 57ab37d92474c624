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

// A request of the monitor to the webhook in packs/monitor/rules runs the script in packs/monitor/actions.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand(), localScript()],
	packs: ["packs"],
	data_dir: "../../data/webhook-to-command",
	auth: { backend: flatFile({}) },
	rbac: {
		enable: true,
		roles: [{ name: "monitor", permission_grants: [{ resource_uid: "webhook:monitor/disk", permission_types: ["webhook_send"] }] }],
		assignments: [
			{ username: "admin", roles: ["admin"] },
			{ username: "monitor", roles: ["monitor"] },
		],
	},
});
