import { defineConfig } from "svc-automation";
import { natsBus } from "svc-automation/plugins/event-bus-nats";
import { postgresBus } from "svc-automation/plugins/event-bus-postgres";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { flatFile } from "svc-automation/plugins-auth/flat-file";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { noop } from "svc-automation/plugins-runner/noop";
import { faultyBus } from "./faulty-bus.ts";
import { weakenedStorage } from "./weakened-storage.ts";

// A node of the chaos test. The test says by environment where the servers are and what is taken out.
const { CHAOS_DATABASE_URL: url = "", CHAOS_NATS_URL: nats, CHAOS_WITHOUT: without = "", CHAOS_BUS_LOSS: loss = "0" } = process.env;

export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: weakenedStorage(knexStorage({ client: "postgres", url }), without.split(",")),
	event_bus: faultyBus(nats ? natsBus({ servers: nats }) : postgresBus({ url }), Number(loss)),
	runners: [localCommand(), noop()],
	auth: { backend: flatFile(), listen: false },
	api: { port: 0 },
	stream: { listen: false },
	node: { health_listen: true, health_port: 0 },
	log: { level: "warn", format: "json" },
});
