#!/usr/bin/env node
import { toOutputCapabilities } from "../../core/cli/output-capabilities.ts";
import "./optional-features.ts";
import { runSvc } from "./run-svc.ts";

let hasRunPlugin = false;

process.exitCode = await runSvc(process.argv.slice(2), {
	// The modules of the service are imported on demand: loading them at once would delay all other commands.
	async serve(options) {
		const { serve } = await import("../../core/service/serve.ts");
		const screen = toOutputCapabilities(process.stdout, process.env);
		return serve({ ...options, env: process.env, screen, print: (line) => void process.stdout.write(`${line}\n`) });
	},
	plan: async (options) => (await import("../../core/service/plan/make-plan.ts")).makePlan({ ...options, env: process.env }),
	database: {
		migrate: async (options) =>
			(await import("../../core/service/database/migrate-database.ts")).migrateDatabase({ ...options, env: process.env }),
		async move(options) {
			// Defines the kinds of all features, so that the records of features that the configuration leaves out are moved too.
			(await import("./features.ts")).shippedFeatures();
			return (await import("./move-database.ts")).moveDatabase({ ...options, env: process.env });
		},
		backup: async (options) =>
			(await import("../../core/service/database/back-up-database.ts")).backUpDatabase({ ...options, env: process.env }),
		restore: async (options) =>
			(await import("../../core/service/database/back-up-database.ts")).restoreDatabase({ ...options, env: process.env }),
	},
	users: async (options, use) =>
		(await import("../../core/service/auth-backend-users.ts")).createAuthBackendUsers(process.env)(options, use),
	definitions: async (options) => (await import("../../core/service/workflow-tools.ts")).openWorkflowTools(options),
	packs: {
		check: async (options) => (await import("../feature-pack-tools/check-packs.ts")).checkPacks(options),
		test: async (options) => (await import("../feature-pack-tools/test-packs.ts")).testPacks(options),
	},
	worker: async (options) => (await import("../feature-workers/worker/run-worker.ts")).runWorker(options, process.env),
	async conform(options) {
		hasRunPlugin = true;
		return (await import("../../core/testing/conform/conform.ts")).conform(options);
	},
});

// A plugin that failed its tests may have left resources open, which would keep the process alive forever.
if (hasRunPlugin) process.exit();
