import { defineConfig } from "svc-automation";
import { createFeatures } from "svc-automation/feature";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { knexStorage } from "svc-automation/plugins/storage-knex";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { createBoard } from "./board/index.ts";

// All that the service has, and a board beside it.
export default defineConfig({
	features: (kernel) => ({ ...createFeatures(kernel), board: createBoard(kernel) }),
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand()],
	packs: ["packs"],
	data_dir: "../../data/custom-feature",
	// It listens on this machine only. With sign-in it would be one member more, as in the other examples.
	auth: { enable: false },
});
