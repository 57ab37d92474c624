import { defineConfig } from "svc";
import { memoryBus } from "svc/plugins/event-bus-memory";
import { knexStorage } from "svc/plugins/storage-knex";
import { flatFile } from "svc/plugins-auth/flat-file";
import { localCommand } from "svc/plugins-runner/local-command";

// nginx answers the world and speaks TLS; the service listens on this machine only and believes what nginx says of clients.
export default defineConfig({
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
