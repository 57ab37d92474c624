import { join } from "node:path";
import { createAccess, hasAdminRole } from "../features/access/access.ts";
import { createApiKeys } from "../features/access/api-keys.ts";
import { createCredentials } from "../features/access/credentials.ts";
import { createDatastoreItems } from "../features/datastore/datastore-items.ts";
import { createKeyRing } from "../features/datastore/key-ring.ts";
import { createRuns } from "../features/executions/runs.ts";
import { createPackConfigs } from "../features/packs/pack-configs.ts";
import { createPolicyCore, type PolicyCore } from "../features/policies/policy-core.ts";
import { createRetention } from "../features/retention/retention.ts";
import { createRulesCore, type RulesCore } from "../features/rules/rules-core.ts";
import { createSensorContainer } from "../features/sensors/sensor-container.ts";
import { checkTimerParameters } from "../features/timers/schedule.ts";
import { createTimers } from "../features/timers/timers.ts";
import { createCompletions } from "../features/triggers/ended-executions.ts";
import { createInstances } from "../features/triggers/instances.ts";
import { createTriggerTypes } from "../features/triggers/trigger-types.ts";
import { createId } from "./basics/ids.ts";
import { createTriggerCore } from "./events/trigger-core.ts";
import { createCatalog } from "./executions/catalog.ts";
import { createExecutions } from "./executions/executions.ts";
import { createLeases } from "./executions/leases.ts";
import { createPendingWork } from "./executions/pending-work.ts";
import { createScheduler, type Scheduler } from "./executions/scheduler.ts";
import { createRunEnding } from "./nodes/end-runs.ts";
import { createNode } from "./nodes/node.ts";
import { createPersist } from "./nodes/persist.ts";
import type { EngineDependencies } from "./plugins/dependencies.ts";
import { createPluginHost } from "./plugins/plugin-host.ts";
import { createExecutor } from "./runs/executor.ts";
import { createOutput } from "./runs/output.ts";
import { SealedSecrets } from "./secrets/sealed-secrets.ts";
import { createChangeFeed } from "./work/change-feed.ts";
import { createLateWrites } from "./work/late-writes.ts";
import { StorageClock } from "./work/storage-clock.ts";

/** Everything that an engine is made of, put together. Nothing is opened or started. */
export function createEngineParts(dependencies: EngineDependencies) {
	const { options, logger, roles, composition } = dependencies;
	const nodeId = createId(dependencies.clock);
	const host = createPluginHost(dependencies, { id: nodeId, clock: dependencies.clock, logger });
	const { storage, eventBus, runners, sensors, authBackend } = host;
	const clock = new StorageClock(storage, dependencies.clock, options.scheduler.clock_tolerance);
	const lateWrites = createLateWrites(logger);
	const keyFile = options.keyvalue.encryption_key_path || join(dependencies.dataDirectory, "datastore-key.json");
	const sealedSecrets = new SealedSecrets(createKeyRing({ path: keyFile, isEnabled: options.keyvalue.enable_encryption, logger }));
	const parts = { storage, eventBus, clock, logger, nodeId, lateWrites, sealedSecrets };
	const changes = createChangeFeed(parts);
	const catalog = createCatalog({ ...parts, changes });
	const audit = logger.withTag("auth");
	const access = createAccess({ storage, clock, logger: audit, enabled: options.rbac.enable, config: dependencies.access });
	const apiKeys = createApiKeys({ storage, clock, logger: audit, systemUser: options.system_user.user });
	const credentials = createCredentials({ storage, clock, options, authBackend, logger: audit, access, apiKeys });
	const triggers = createTriggerCore({
		...parts,
		changes,
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
		keyFile,
	});
	const packConfigs = createPackConfigs({
		...parts,
		datastore,
		packDirectory: catalog.packDirectory,
		directory: dependencies.configs,
	});
	const isAdministrator = async (username: string) => !access.enabled || hasAdminRole(await access.rolesOf(username));
	const templateSources = { datastore, packConfigs, systemUser: options.system_user.user, isAdministrator };
	const { poll_interval: pollInterval, lease } = options.scheduler;
	const policing: PolicyCore = createPolicyCore({
		...parts,
		catalog,
		changes,
		pollInterval,
		// The ends of executions need what policies make of them.
		completions: { draft: (ended) => completions.draft(ended) },
	});
	const completions = createCompletions({
		...parts,
		dispatcher: triggers.dispatcher,
		catalog,
		options,
		templateSources,
		retries: policing.retries,
		announce: (execution) => scheduler.announce(execution),
	});
	const executor = createExecutor({
		...parts,
		catalog,
		runners,
		options,
		credentials,
		access,
		completions,
		templateSources,
		dispatcher: triggers.dispatcher,
		apiUrl: dependencies.apiUrl,
		dataDirectory: dependencies.dataDirectory,
	});
	const pendingWork = createPendingWork({ ...parts, wake: (work) => scheduler.wake(work) });
	const scheduler: Scheduler = createScheduler({
		...parts,
		poolSize: options.actionrunner.actions_pool_size,
		pollInterval,
		lease,
		announce: pendingWork.announce,
		queues: policing.queues,
		run: executor.run,
		holds: executor.holds,
	});
	const triggerTypes = createTriggerTypes({ ...parts, changes });
	const instances = createInstances({ ...parts, catalog, dispatcher: triggers.dispatcher });
	const submitting = { ...parts, catalog, completions, templateSources, admit: scheduler.admit };
	const ruling: RulesCore = createRulesCore({
		...submitting,
		maskPayloads: instances.maskPayloads,
		access,
		options,
		changes,
		triggers,
		checkParameters: checkTimerParameters,
	});
	const leases = createLeases({ ...parts, executor, completions, lease, adopt: scheduler.adopt });
	const retention = createRetention({ ...parts, options, completions });
	const timers = createTimers({ ...parts, options, dispatcher: triggers.dispatcher, changes });
	const sensorContainer = createSensorContainer({
		...parts,
		options,
		sensors,
		datastore,
		packConfigs,
		types: triggerTypes,
		changes,
		dispatcher: triggers.dispatcher,
	});
	/** What each role makes the node do, in the order in which it begins. */
	const loops = [
		["worker", leases.recovery],
		["worker", scheduler],
		["rules", ruling.processor],
		["timers", timers],
		["sensors", sensorContainer],
	] as const;
	const halting = new AbortController();
	const persist = createPersist({ storage, logger, signal: halting.signal });
	const node = createNode({
		...dependencies,
		...parts,
		names: { storage: composition.storage.name, eventBus: composition.eventBus.name },
		loops: loops.filter(([role]) => roles.includes(role)).map(([, loop]) => loop),
		persist,
		idle: scheduler.idle,
		running: () => executor.held().size,
		lateWrites: lateWrites.count,
		signal: halting.signal,
	});
	const runEnding = createRunEnding({ node, executor, scheduler });
	const executions = createExecutions(submitting);
	const output = createOutput(parts);
	const runs = createRuns({ executions, output, logger, systemUser: options.system_user.user });
	return {
		shared: parts,
		host,
		halting,
		persist,
		changes,
		catalog,
		access,
		apiKeys,
		credentials,
		triggers,
		triggerTypes,
		instances,
		datastore,
		packConfigs,
		policing,
		ruling,
		completions,
		pendingWork,
		leases,
		retention,
		sensorContainer,
		node,
		runEnding,
		executions,
		output,
		runs,
	};
}

export type EngineParts = ReturnType<typeof createEngineParts>;
