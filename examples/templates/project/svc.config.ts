import { defineConfig } from "svc";
import { memoryBus } from "svc/plugins/event-bus-memory";
import { knexStorage } from "svc/plugins/storage-knex";
import { flatFile } from "svc/plugins-auth/flat-file";
import { localCommand } from "svc/plugins-runner/local-command";
import { localScript } from "svc/plugins-runner/local-script";

// One node that keeps its database and password file in ./data. Actions and rules are in ./packs.
export default defineConfig({
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand(), localScript()],
	packs: ["packs"],
	auth: { backend: flatFile() },
});
