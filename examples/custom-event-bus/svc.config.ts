import { defineConfig } from "svc-automation";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { socketBus } from "./socket-bus.ts";

// Several nodes on one machine. Records are in PostgreSQL, and events use sockets in the shared data directory.
export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "postgres", url: process.env["DATABASE_URL"] ?? "postgres://127.0.0.1/svc" }),
	event_bus: socketBus({}),
	runners: [localCommand()],
	data_dir: "../../data/custom-event-bus",
	// The service listens on this machine only, so that no user has to sign in.
	auth: { enable: false },
});
