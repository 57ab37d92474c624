#!/usr/bin/env node
import { screenOf } from "./cli/screen.ts";
import { runSvc } from "./service/run-svc.ts";

let hasRunPlugin = false;

process.exitCode = await runSvc(process.argv.slice(2), {
	// Loaded when they are asked for: the service is many modules, which no other command waits for.
	async serve(options) {
		const { serve } = await import("./service/serve.ts");
		const screen = screenOf(process.stdout, process.env);
		return serve({ ...options, env: process.env, screen, print: (line) => void process.stdout.write(`${line}\n`) });
	},
	plan: async (options) => (await import("./service/plan/make-plan.ts")).makePlan({ ...options, env: process.env }),
	database: {
		migrate: async (options) => (await import("./service/database/migrate-database.ts")).migrateDatabase({ ...options, env: process.env }),
		move: async (options) => (await import("./service/database/move-database.ts")).moveDatabase({ ...options, env: process.env }),
		backup: async (options) => (await import("./service/database/back-up-database.ts")).backUpDatabase({ ...options, env: process.env }),
		restore: async (options) => (await import("./service/database/back-up-database.ts")).restoreDatabase({ ...options, env: process.env }),
	},
	users: async (options, use) => (await import("./service/backend-users.ts")).createBackendUsers(process.env)(options, use),
	definitions: async (options) => (await import("./service/local-definitions.ts")).openDefinitions(options),
	packs: {
		check: async (options) => (await import("./service/pack-work/check-packs.ts")).checkPacks(options),
		test: async (options) => (await import("./service/pack-work/test-packs.ts")).testPacks(options),
	},
	worker: async (options) => (await import("./service/worker/run-worker.ts")).runWorker(options, process.env),
	async conform(options) {
		hasRunPlugin = true;
		return (await import("./testing/conform/conform.ts")).conform(options);
	},
});

// A plugin that was refused may have left open what would keep the process for ever.
if (hasRunPlugin) process.exit();
