import { defineConfig } from "svc";
import { memoryBus } from "svc/plugins/event-bus-memory";
import { knexStorage } from "svc/plugins/storage-knex";
import { localCommand } from "svc/plugins-runner/local-command";
import { jsonFile } from "./json-file.ts";

export default defineConfig({
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand()],
	data_dir: "../../data/custom-auth-backend",
	auth: { backend: jsonFile({}) },
});
