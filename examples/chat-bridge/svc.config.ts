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
import { localCommand } from "svc-automation/plugins-runner/local-command";

// Lines that users type in bridge.mjs can run only the actions of the aliases in packs/disk.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand(), announcement()],
	packs: ["packs"],
	data_dir: "../../data/chat-bridge",
	auth: { backend: flatFile({}) },
	rbac: {
		enable: true,
		roles: [
			{
				name: "chat",
				permission_grants: [
					{ resource_uid: "action:disk:usage", permission_types: ["action_execute"] },
					{ permission_types: ["stream_view"] },
				],
			},
		],
		assignments: [
			{ username: "admin", roles: ["admin"] },
			{ username: "bridge", roles: ["chat"] },
		],
	},
});
