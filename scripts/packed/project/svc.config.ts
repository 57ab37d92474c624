import { defineConfig } from "svc-automation";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { aliases } from "svc-automation/plugins/feature-aliases";
import { audit } from "svc-automation/plugins/feature-audit";
import { packInstaller } from "svc-automation/plugins/feature-pack-installer";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { workers } from "svc-automation/plugins/feature-workers";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { mirror } from "svc-plugin-mirror";
import { listedUsers } from "./src/listed-users.ts";
import { shout } from "./src/shout.ts";

export default defineConfig({
	features: [webUi(), audit(), aliases(), workers(), packInstaller()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand(), shout({ suffix: "?" }), mirror()],
	packs: ["./packs"],
	auth: { backend: listedUsers({ users: { ann: "a word of ann's" } }) },
	log: { level: "warn" },
});
