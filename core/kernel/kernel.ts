import { join } from "node:path";
import type { ExecutionEntity } from "../contract/index.ts";
import { Dialects } from "../language/dialects.ts";
import { EncryptedSecrets } from "../secrets/encrypted-secrets.ts";
import { KeyRing } from "../secrets/encryption/key-ring.ts";
import { StorageClock } from "./basics/clock.ts";
import type { EngineParts } from "./basics/engine-parts.ts";
import { type CacheInvalidation, createCacheInvalidation } from "./coordination/cache-invalidation.ts";
import { LeasePolicy } from "./coordination/lease-policy.ts";
import { createStaleWriteCounter, type StaleWriteCounter } from "./coordination/stale-write-counter.ts";
import { EventDispatcher } from "./events/event-dispatcher.ts";
import type { Dispatcher } from "./events/event-dispatcher-api.ts";
import { EventProcessor } from "./events/event-processor.ts";
import { createTriggerCatalog, type TriggerCatalog } from "./events/trigger-catalog.ts";
import { registerTriggerTypes, TriggerTypeRegistry } from "./events/trigger-type-registry.ts";
import { ExecutionService } from "./execution-service.ts";
import { ActionCatalog } from "./executions/action-catalog.ts";
import { type CompletionEffects, createCompletionEffects } from "./executions/completion-effects.ts";
import type { Executions, OutputAccess } from "./executions/executions-api.ts";
import type { Admit } from "./executions/new-execution.ts";
import { createLateBoundAuthority, createLateBoundCredentials, createTemplateSources, ExtensionPoints } from "./extension-points.ts";
import { BulkOutputDetector } from "./output/bulk-output-detector.ts";
import { OutputReader } from "./output/output-reader.ts";
import type { CreatedPlugins } from "./plugins/create-plugins.ts";
import type { EngineDependencies } from "./plugins/engine-dependencies.ts";
import { EngineStorage, type StorageSource } from "./plugins/engine-storage.ts";
import { Executor } from "./runs/executor.ts";
import { RunLeaseRenewal } from "./runs/run-lease-renewal.ts";
import { type Admission, InlineStart, StoreThenSchedule } from "./scheduling/inline-start.ts";
import { OrphanRecovery } from "./scheduling/orphan-recovery.ts";
import { Scheduler } from "./scheduling/scheduler.ts";
import type { TemplateSources } from "./submission/parameter-rendering.ts";
import { instrumentEventBus } from "./telemetry/bus-and-storage-metrics.ts";
import type { TelemetryHub } from "./telemetry/telemetry-hub.ts";

/** Plugins of an engine, created but not started. */
export interface Plugins extends Pick<CreatedPlugins, "eventBus" | "authBackend" | "runners" | "sensors" | "dialects"> {
	readonly storageSource: StorageSource;
	/** Passes measurements and events to the telemetry plugins. */
	readonly hub: TelemetryHub;
}

/**
 * Kernel of the engine: accepts events and requests, runs each execution once, and stores its output. Features are created from it, and
 * extend it through its extension points.
 *
 * A feature may keep references to the members at once, but may use them only after the engine has started. Its `register` may already use
 * the storage and members that read it.
 */
export interface Kernel extends Omit<Plugins, "dialects" | "storageSource">, EngineParts {
	/** The resolved configuration, including the options, and the objects that the embedding program supplies. */
	readonly dependencies: EngineDependencies;
	readonly logger: EngineDependencies["logger"];
	readonly clock: StorageClock;
	/** Leases of this node on records that only one node at a time may process. */
	readonly leasing: LeasePolicy;
	/** Notifies every node of changes to actions, triggers or rules, so that the nodes renew their caches. */
	readonly changes: CacheInvalidation;
	/** Cached access to actions, runner types and packs. */
	readonly catalog: ActionCatalog;
	/** Accepts events from all sources. */
	readonly dispatcher: Dispatcher;
	/** Finds triggers by the names that dispatched events and rules contain. */
	readonly triggerCatalog: TriggerCatalog;
	/** Trigger types that features define. */
	readonly triggerTypes: TriggerTypeRegistry;
	readonly executions: Executions;
	readonly output: OutputAccess;
	/** Completion effects: operations that features add to the write that stores the end of an execution. */
	readonly completionEffects: CompletionEffects;
	/** Inserts a new execution by a call of `store`, and schedules its run. */
	readonly admit: Admit;
	/** Inserts new executions by one call of `store`, all or none, and schedules their runs. */
	readonly admitAll: Admission["admit"];
	/** Publishes a new execution that was stored as requested, and wakes the schedulers so that it runs. */
	readonly announce: (execution: ExecutionEntity) => void;
	readonly templateSources: TemplateSources;
	/** Keys that encrypt values of the datastore and other stored secrets. */
	readonly keys: KeyRing;
	/** Absolute path of the file that contains `keys`. */
	readonly keyFile: string;
	readonly staleWrites: StaleWriteCounter;
	readonly extensions: ExtensionPoints;
}

/** The kernel with further parts for the lifecycle of the engine. Features must not use these. */
export type RunnableKernel = ReturnType<typeof createKernel>;

/** Creates a kernel. Opens and starts nothing. */
export function createKernel(dependencies: EngineDependencies, plugins: Plugins, nodeId: string) {
	const shared = createSharedParts(dependencies, plugins, nodeId);
	const events = createEvents(shared);
	const executor = new Executor({
		...shared,
		...events,
		apiUrl: dependencies.apiUrl,
		dataDirectory: dependencies.dataDirectory,
		admitAll: (executions, store) => admitAll(executions, store),
		onSlotFreed: () => scheduler.pollIfDue(),
	});
	const queues = () => shared.extensions.executionQueues;
	const scheduler: Scheduler = new Scheduler({
		...shared,
		queues,
		run: (execution) => executor.run(execution, inlineStart.takePreparedRun(execution)),
		isRunningHere: (id) => executor.runs.has(id),
		resting: () => executor.children.runsWithoutSlot + shared.extensions.runsWithoutSlot,
	});
	const announce = (execution: ExecutionEntity) => scheduler.announce(execution);
	const inlineStart = new InlineStart({ ...shared, queues, announce, claimer: scheduler.claimer, executor });
	const admission: Admission = dependencies.startsInline === false ? new StoreThenSchedule({ queues, announce }) : inlineStart;
	const admitAll: Admission["admit"] = (executions, store) => admission.admit(executions, store);
	const admit: Kernel["admit"] = (execution, store) => admitAll([execution], ([entity]) => store(entity as ExecutionEntity));
	const recovery = new OrphanRecovery({ ...shared, claimer: scheduler.claimer, canRecover: (execution) => executor.canRecover(execution) });
	return {
		...shared,
		...events,
		executor,
		scheduler,
		admit,
		admitAll,
		announce,
		recovery,
		leases: new RunLeaseRenewal({ ...shared, runs: executor.runs, onRenewed: (leases) => recovery.poll(leases) }),
		executions: new ExecutionService({ ...shared, admit }),
		output: new OutputReader(shared),
		register: () => register(shared),
	};
}

type SharedParts = ReturnType<typeof createSharedParts>;

/** Creates the parts on which several other parts of the kernel depend. */
function createSharedParts(dependencies: EngineDependencies, createdPlugins: Plugins, nodeId: string) {
	const { storageSource, ...plugins } = createdPlugins;
	const { eventBus, metrics } = instrumentEventBus(plugins.eventBus, plugins.hub);
	const { options, logger, roles } = dependencies;
	const runners = new Map(plugins.runners);
	const extensions = new ExtensionPoints(runners);
	const storage = new EngineStorage(storageSource, { metrics, interceptor: () => extensions.writeInterceptor });
	const clock = new StorageClock(storage, dependencies.clock, options.scheduler.clock_tolerance);
	const keyFile = options.keyvalue.encryption_key_path || join(dependencies.dataDirectory, "datastore-key.json");
	const keys = new KeyRing({ path: keyFile, isEnabled: options.keyvalue.enable_encryption, logger });
	const leasing = new LeasePolicy({ storage, clock, nodeId, leaseSeconds: options.scheduler.lease });
	const dialects = new Dialects(plugins.dialects);
	const parts = {
		...plugins,
		storage,
		eventBus,
		runners,
		dialects,
		dependencies,
		options,
		roles,
		nodeId,
		logger,
		clock,
		leasing,
		keys,
		keyFile,
		extensions,
		bulkOutput: new BulkOutputDetector(),
	};
	const changes = createCacheInvalidation(parts);
	const authority = createLateBoundAuthority(extensions);
	return {
		...parts,
		changes,
		authority,
		templateSources: createTemplateSources(extensions, authority, options),
		isWorkflow: (runnerName: string) => runners.get(runnerName)?.capabilities.workflow === true,
		catalog: new ActionCatalog({
			...parts,
			changes,
			content: { directory: (pack, content) => extensions.packContent.directory(pack, content) },
		}),
		staleWrites: createStaleWriteCounter(parts),
		sealedSecrets: new EncryptedSecrets(keys),
		triggerTypes: new TriggerTypeRegistry(() => extensions.triggerTypes),
		runCredentials: createLateBoundCredentials(extensions),
		completionEffects: createCompletionEffects({
			...parts,
			completionHooks: () => extensions.completionHooks,
			revokeCredentials: (execution) => extensions.runCredentials.toRevocations(execution),
		}),
	};
}

/** Creates the parts that accept events and pass them to the event handler. */
function createEvents(shared: SharedParts) {
	const { options, extensions } = shared;
	const triggerCatalog = createTriggerCatalog(shared);
	const eventHandler = () => extensions.eventHandler;
	const processor = new EventProcessor({
		...shared,
		eventHandler,
		poolSize: options.rules.pool_size,
		pollInterval: options.scheduler.poll_interval,
	});
	return { triggerCatalog, processor, dispatcher: new EventDispatcher({ ...shared, triggerCatalog, eventHandler, processor }) };
}

/**
 * Stores runner types, trigger types, and the records of all features as the configuration describes them. May be called again after it
 * has failed.
 */
async function register({ catalog, runners, extensions, ...parts }: SharedParts): Promise<void> {
	await catalog.registerRunnerTypes(runners);
	await registerTriggerTypes(
		parts,
		extensions.triggerTypes.flatMap(({ type, isEnabled = true }) => (isEnabled ? [type] : [])),
	);
	for (const feature of extensions.features) await feature.register?.();
}
