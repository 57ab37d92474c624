import { join } from "node:path";
import { SvcError } from "../contract/index.ts";
import { createAccess } from "./access/access.ts";
import { createActions } from "./actions.ts";
import { createApiKeys } from "./api-keys.ts";
import { createCatalog } from "./catalog.ts";
import { createCredentials } from "./credentials.ts";
import { createDatastoreItems } from "./datastore/datastore-items.ts";
import type { EngineDependencies } from "./dependencies.ts";
import { createRunEnding } from "./end-runs.ts";
import type { Engine } from "./engine-api.ts";
import { createEvents } from "./events.ts";
import { createExecutions } from "./executions.ts";
import { createExecutor } from "./executor.ts";
import { ensureFirstUser } from "./first-user.ts";
import { createId } from "./ids.ts";
import { createInquiries } from "./inquiries/inquiries.ts";
import { createLateWrites } from "./late-writes.ts";
import { createLeases } from "./lease.ts";
import { assertNotMoving } from "./moving.ts";
import { assertShareable } from "./nodes/assert-shareable.ts";
import { createNode } from "./nodes/node.ts";
import { createPersist } from "./nodes/persist.ts";
import { createOutput } from "./output.ts";
import { createPackConfigs } from "./pack-config/pack-configs.ts";
import { createPendingWork } from "./pending-work.ts";
import { createPluginHost } from "./plugin-host.ts";
import { createPolicyCore, type PolicyCore } from "./policies/policy-core.ts";
import { registerPacks } from "./register-packs.ts";
import { registerReactions } from "./register-reactions.ts";
import { createRetention } from "./retention/retention.ts";
import { createEnforcements } from "./rules/enforcements.ts";
import { createRulesCore, type RulesCore } from "./rules/rules-core.ts";
import { createRunnerTypes } from "./runner-types.ts";
import { createRuns } from "./runs.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";
import { createSensorContainer } from "./sensors/sensor-container.ts";
import { createSensorTypes } from "./sensors/sensor-types.ts";
import { checkTimerParameters } from "./timers/schedule.ts";
import { createTimers } from "./timers/timers.ts";
import { createTimersApi } from "./timers/timers-api.ts";
import { createTraces } from "./traces-read.ts";
import { createChangeFeed } from "./triggers/change-feed.ts";
import { createCompletions } from "./triggers/completions.ts";
import { createInstances } from "./triggers/instances.ts";
import { createTriggerCore } from "./triggers/trigger-core.ts";
import { createTriggerTypes } from "./triggers/trigger-types.ts";
import { createTriggers } from "./triggers/triggers.ts";
import { createHookIndex } from "./webhooks/hook-index.ts";
import { createWebhooks } from "./webhooks/webhooks.ts";

/** Put an engine together. Nothing is opened or started before `start`. */
export function createEngine(dependencies: EngineDependencies): Engine {
	const { options, logger, clock, roles, composition } = dependencies;
	const nodeId = createId(clock);
	const host = createPluginHost(dependencies, { id: nodeId, clock, logger });
	const { storage, eventBus, runners, sensors, authBackend } = host;
	const lateWrites = createLateWrites(logger);
	const parts = { storage, eventBus, clock, logger, nodeId, lateWrites };
	const changes = createChangeFeed(parts);
	const catalog = createCatalog({ ...parts, changes });
	const audit = logger.withTag("auth");
	const access = createAccess({ storage, clock, logger: audit, enabled: options.rbac.enable, config: dependencies.access });
	const apiKeys = createApiKeys({ storage, clock, logger: audit });
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
		keyFile: options.keyvalue.encryption_key_path || join(dependencies.dataDirectory, "datastore-key.json"),
	});
	const packConfigs = createPackConfigs({
		...parts,
		datastore,
		packDirectory: catalog.packDirectory,
		directory: dependencies.configs,
	});
	const templateSources = { datastore, packConfigs, systemUser: options.system_user.user };
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
		completions,
		templateSources,
		dispatcher: triggers.dispatcher,
		apiUrl: dependencies.apiUrl,
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
		...parts,
		...dependencies,
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
	let starting: Promise<void> | undefined;
	let draining: Promise<void> | undefined;
	let stopping: Promise<void> | undefined;

	async function start(): Promise<void> {
		if (halting.signal.aborted) throw new SvcError("SVC_UNAVAILABLE", "the engine was stopped before it had started");
		assertShareable({
			roles,
			storage: { ...composition.storage, capabilities: storage.capabilities },
			eventBus: { ...composition.eventBus, capabilities: eventBus.capabilities },
		});
		await host.start(persist);
		try {
			await persist(() => assertNotMoving(storage, clock.now()));
			await node.register();
			await changes.start();
			await persist(makeKnown);
			if (roles.includes("worker")) await Promise.all([leases.start(), pendingWork.start()]);
			await node.begin();
			retention.start();
			runs.start();
			logger.info("engine started", { node_id: nodeId, roles, runners: [...runners.keys()] });
		} catch (error) {
			// Not by way of `stop`, which waits for this start.
			await runEnding
				.end(0)
				.then(close)
				.catch(() => undefined);
			throw error;
		}
	}

	/** Make the stored catalog say what the configuration and the packs say. Whatever is stored already stays the same. */
	async function makeKnown(): Promise<void> {
		await catalog.registerRunnerTypes(runners);
		await triggers.register();
		await datastore.start();
		await policing.start();
		const packs = await registerPacks({ ...parts, catalog }, dependencies.packs);
		await sensorContainer.register();
		await registerReactions(
			{ ...parts, types: triggerTypes, rules: ruling.rules, policies: policing.policies, principal: ruling.principal },
			packs,
		);
		await packConfigs.check();
	}

	/** Wait for running actions as long as the configuration says, then end them. */
	async function drain(): Promise<void> {
		// Told before anything is waited for: not ready any more, and nothing new is taken on.
		halting.abort();
		node.end().catch(() => undefined);
		// A start under way would begin to work again.
		await starting?.catch(() => undefined);
		const { graceful_shutdown: graceful, exit_still_active_check: grace } = options.actionrunner;
		await runEnding.end(graceful ? grace * 1_000 : 0);
	}

	async function stop(): Promise<void> {
		await (draining ??= drain());
		await close();
	}

	async function close(): Promise<void> {
		await runs.stop();
		await retention.stop();
		pendingWork.stop();
		await leases.stop();
		changes.stop();
		await policing.stop();
		await datastore.stop();
		await node.leave();
		await host.stop();
	}

	return {
		nodeId,
		run: runs.run,
		executions,
		triggers: {
			types: triggerTypes,
			triggers: createTriggers({ ...parts, ...triggers, changes, checkParameters: checkTimerParameters }),
			instances,
		},
		rules: ruling.rules,
		enforcements: createEnforcements({ storage, executions }),
		policies: policing.policies,
		timers: createTimersApi({ storage }),
		sensorTypes: createSensorTypes({ ...parts, changes }),
		traces: createTraces({ storage }),
		inquiries: createInquiries({ ...parts, completions }),
		output,
		events: createEvents({ eventBus, catalog }),
		actions: createActions({ ...parts, catalog, draft: triggers.dispatcher.draft }),
		runnerTypes: createRunnerTypes({ storage, catalog }),
		credentials,
		apiKeys,
		access,
		dispatcher: triggers.dispatcher,
		datastore,
		packConfigs,
		nodes: node.nodes,
		readiness: node.readiness,
		retention,
		webhooks: createWebhooks({
			...parts,
			dispatcher: triggers.dispatcher,
			hooks: createHookIndex({ storage, changes }),
			readSecret: (name) => datastore.clearAccessFor(options.system_user.user, "webhook signature").lookup("system", name),
		}),
		start: () => (starting ??= start()),
		async ensureFirstUser() {
			// Where nobody can sign in, the backend has not been started.
			if (!options.auth.enable || authBackend === undefined || !roles.some((role) => role === "auth" || role === "api")) return undefined;
			return ensureFirstUser({ backend: authBackend, adminPassword: dependencies.adminPassword, logger });
		},
		drain: () => (draining ??= drain()),
		async abort() {
			runEnding.force();
			await (draining ??= drain());
		},
		stop: () => (stopping ??= stop()),
		[Symbol.asyncDispose]: () => (stopping ??= stop()),
	};
}
