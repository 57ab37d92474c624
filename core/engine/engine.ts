import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { RunAborted } from "../contract/index.ts";
import { createAccess } from "./access/access.ts";
import { createActions } from "./actions.ts";
import { createApiKeys } from "./api-keys.ts";
import { createCatalog } from "./catalog.ts";
import { createCredentials } from "./credentials.ts";
import { createDatastoreItems } from "./datastore/datastore-items.ts";
import type { EngineDependencies } from "./dependencies.ts";
import type { Engine } from "./engine-api.ts";
import { createEvents } from "./events.ts";
import { createExecutions } from "./executions.ts";
import { createExecutor } from "./executor.ts";
import { ensureFirstUser } from "./first-user.ts";
import { createInquiries } from "./inquiries/inquiries.ts";
import { createInquirySweep } from "./inquiries/sweep.ts";
import { createLeases } from "./lease.ts";
import { createOutput } from "./output.ts";
import { createPackConfigs } from "./pack-config/pack-configs.ts";
import { createPluginHost } from "./plugin-host.ts";
import { registerPacks } from "./register-packs.ts";
import { registerReactions } from "./register-reactions.ts";
import { createEnforcements } from "./rules/enforcements.ts";
import { createRulesCore, type RulesCore } from "./rules/rules-core.ts";
import { createRunnerTypes } from "./runner-types.ts";
import { createScheduler } from "./scheduler.ts";
import { createSensorContainer } from "./sensors/sensor-container.ts";
import { createSensorTypes } from "./sensors/sensor-types.ts";
import { checkTimerParameters } from "./timers/schedule.ts";
import { createTimers } from "./timers/timers.ts";
import { createTimersApi } from "./timers/timers-api.ts";
import { createTraces } from "./traces-read.ts";
import { createCompletions } from "./triggers/completions.ts";
import { createInstances } from "./triggers/instances.ts";
import { createTriggerCore } from "./triggers/trigger-core.ts";
import { createTriggerTypes } from "./triggers/trigger-types.ts";
import { createTriggers } from "./triggers/triggers.ts";
import { createHookIndex } from "./webhooks/hook-index.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

/** Put an engine together. Nothing is opened or started before `start`. */
export function createEngine(dependencies: EngineDependencies): Engine {
	const { options, logger, clock } = dependencies;
	const nodeId = randomBytes(12).toString("hex");
	const host = createPluginHost(dependencies, { id: nodeId, clock, logger });
	const { storage, eventBus, runners, sensors, authBackend } = host;
	const parts = { storage, eventBus, clock, logger, nodeId };
	const catalog = createCatalog(parts);
	const audit = logger.withTag("auth");
	const access = createAccess({ storage, clock, logger: audit, enabled: options.rbac.enable, config: dependencies.access });
	const apiKeys = createApiKeys({ storage, clock, logger: audit });
	const credentials = createCredentials({ storage, clock, options, authBackend, logger: audit, access, apiKeys });
	const triggers = createTriggerCore({
		...parts,
		options,
		// Rules need what needs triggers.
		processor: {
			wake: () => ruling.processor.wake(),
			reserve: (instance) => ruling.processor.reserve(instance),
			dismiss: (instance) => ruling.processor.dismiss(instance),
		},
	});
	const datastore = createDatastoreItems({
		...parts,
		logger: logger.withTag("datastore"),
		options,
		access,
		draft: triggers.dispatcher.draft,
		keyFile: options.keyvalue.encryption_key_path || join(dependencies.dataDirectory, "datastore-key.json"),
	});
	const packConfigs = createPackConfigs({
		...parts,
		datastore,
		packDirectory: catalog.packDirectory,
		directory: dependencies.configs,
	});
	const templateSources = { datastore, packConfigs, systemUser: options.system_user.user };
	const completions = createCompletions({ dispatcher: triggers.dispatcher, catalog, options, logger, templateSources });
	const executor = createExecutor({
		...parts,
		catalog,
		runners,
		options,
		credentials,
		completions,
		templateSources,
		dispatcher: triggers.dispatcher,
		apiUrl: dependencies.apiUrl,
	});
	const { poll_interval: pollInterval, lease } = options.scheduler;
	const scheduler = createScheduler({ ...parts, poolSize: options.actionrunner.actions_pool_size, pollInterval, lease, run: executor.run });
	const triggerTypes = createTriggerTypes({ ...parts, changes: triggers.changes });
	const instances = createInstances({ ...parts, catalog, dispatcher: triggers.dispatcher });
	const submitting = { ...parts, catalog, completions, templateSources, admit: scheduler.admit };
	const ruling: RulesCore = createRulesCore({
		...submitting,
		maskPayloads: instances.maskPayloads,
		options,
		triggers,
		checkParameters: checkTimerParameters,
	});
	const leases = createLeases({ ...parts, executor, completions, lease, adopt: scheduler.adopt });
	const { purge_inquiries: enabled, collection_interval: interval } = options.garbagecollector;
	const inquirySweep = createInquirySweep({ ...parts, completions, enabled, interval });
	const timers = createTimers({ ...parts, options, dispatcher: triggers.dispatcher, changes: triggers.changes });
	const sensorContainer = createSensorContainer({
		...parts,
		options,
		sensors,
		datastore,
		packConfigs,
		types: triggerTypes,
		changes: triggers.changes,
		dispatcher: triggers.dispatcher,
	});
	let starting: Promise<void> | undefined;
	let draining: Promise<void> | undefined;
	let stopping: Promise<void> | undefined;

	async function start(): Promise<void> {
		await host.start();
		try {
			await catalog.registerRunnerTypes(runners);
			await triggers.start();
			await datastore.start();
			const packs = await registerPacks({ ...parts, catalog }, dependencies.packs);
			await sensorContainer.register();
			await registerReactions({ ...parts, types: triggerTypes, rules: ruling.rules, principal: ruling.principal }, packs);
			await packConfigs.check();
			await credentials.start();
			await leases.start();
			scheduler.start();
			await ruling.processor.start();
			await timers.start();
			await sensorContainer.start();
			inquirySweep.start();
			logger.info("engine started", { node_id: nodeId, runners: [...runners.keys()] });
		} catch (error) {
			// Not by way of `stop`, which waits for this start.
			await endRuns(0)
				.then(close)
				.catch(() => undefined);
			throw error;
		}
	}

	/** Wait for running actions as long as the configuration says, then end them. */
	async function drain(): Promise<void> {
		// A start under way would begin to schedule again.
		await starting?.catch(() => undefined);
		const { graceful_shutdown: graceful, exit_still_active_check: grace } = options.actionrunner;
		await endRuns(graceful ? grace * 1_000 : 0);
	}

	async function endRuns(graceMilliseconds: number): Promise<void> {
		await timers.stop();
		await sensorContainer.stop();
		await ruling.processor.stop();
		await scheduler.stop();
		const aborted = new RunAborted("shutdown", "the service was stopped while the action ran");
		executor.leaveAll(aborted);
		const idle = scheduler.idle();
		await settledWithin(idle, graceMilliseconds);
		executor.abortAll(aborted);
		await idle;
	}

	async function stop(): Promise<void> {
		await (draining ??= drain());
		await close();
	}

	async function close(): Promise<void> {
		await inquirySweep.stop();
		await leases.stop();
		triggers.stop();
		await datastore.stop();
		await credentials.stop();
		await host.stop();
	}

	const executions = createExecutions(submitting);
	return {
		nodeId,
		executions,
		triggers: {
			types: triggerTypes,
			triggers: createTriggers({ ...parts, ...triggers, checkParameters: checkTimerParameters }),
			instances,
		},
		rules: ruling.rules,
		enforcements: createEnforcements({ storage, executions }),
		timers: createTimersApi({ storage }),
		sensorTypes: createSensorTypes({ ...parts, changes: triggers.changes }),
		traces: createTraces({ storage }),
		inquiries: createInquiries({ ...parts, completions }),
		output: createOutput(parts),
		events: createEvents({ eventBus, catalog }),
		actions: createActions({ ...parts, catalog, draft: triggers.dispatcher.draft }),
		runnerTypes: createRunnerTypes({ storage, catalog }),
		credentials,
		apiKeys,
		access,
		dispatcher: triggers.dispatcher,
		datastore,
		packConfigs,
		webhooks: createWebhooks({
			...parts,
			dispatcher: triggers.dispatcher,
			hooks: createHookIndex({ storage, changes: triggers.changes }),
			readSecret: (name) => datastore.clearAccessFor(options.system_user.user, "webhook signature").lookup("system", name),
		}),
		start: () => (starting ??= start()),
		async ensureFirstUser() {
			if (!options.auth.enable || authBackend === undefined) return undefined;
			return ensureFirstUser({ backend: authBackend, adminPassword: dependencies.adminPassword, logger });
		},
		drain: () => (draining ??= drain()),
		stop: () => (stopping ??= stop()),
	};
}

/** Resolves when `promise` does, or after `milliseconds`. */
async function settledWithin(promise: Promise<void>, milliseconds: number): Promise<void> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<void>((resolve) => {
		timer = setTimeout(resolve, Math.min(milliseconds, 2_147_483_647));
	});
	await Promise.race([promise, late]);
	clearTimeout(timer);
}
