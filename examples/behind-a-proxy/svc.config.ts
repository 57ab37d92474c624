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

// nginx terminates TLS. The service listens on this machine only, and trusts the client address that nginx sends.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand()],
	data_dir: "../../data/behind-a-proxy",
	auth: {
		backend: flatFile(),
		trusted_proxies: ["127.0.0.1"],
		api_url: "https://svc.example.org/api",
	},
	api: { allow_origin: ["https://svc.example.org"] },
});
