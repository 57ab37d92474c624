import { defineConfig } from "svc";
import { memoryBus } from "svc/plugins/event-bus-memory";
import { knexStorage } from "svc/plugins/storage-knex";
import { flatFile } from "svc/plugins-auth/flat-file";
import { localCommand } from "svc/plugins-runner/local-command";
import { localScript } from "svc/plugins-runner/local-script";
import { noop } from "svc/plugins-runner/noop";

// What `npm start` runs: one node that keeps its database and password file in ./data (or SVC_DATA_DIR). Any option can be
// overridden by environment, such as SVC_API_PORT; docs/reference/configuration.md lists them all.
export default defineConfig({
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand(), localScript(), noop()],
	auth: { backend: flatFile() },
});
