import { join } from "node:path";
import type { AuthBackend, Dialect, EventBus, ExecutionEntity, NodeRole, Options, Runner, Sensor, Storage } from "../contract/index.ts";
import { Dialects } from "../language/dialects.ts";
import { SealedSecrets } from "../secrets/encrypted-secrets.ts";
import { KeyRing } from "../secrets/encryption/key-ring.ts";
import type { Authority } from "./basics/principal.ts";
import { type ChangeFeed, createChangeFeed } from "./coordination/change-feed.ts";
import { Leasing } from "./coordination/lease-duration.ts";
import { createLateWrites, type LateWrites } from "./coordination/stale-writes.ts";
import { StorageClock } from "./coordination/storage-clock.ts";
import { EventDoor } from "./events/event-dispatcher.ts";
import type { Dispatcher } from "./events/event-dispatcher-api.ts";
import { Processor } from "./events/event-processor.ts";
import { createTriggerCatalog, type TriggerCatalog } from "./events/trigger-catalog.ts";
import { OwnTriggerTypes, registerTriggerTypes } from "./events/trigger-type-registry.ts";

import { Catalog } from "./executions/action-catalog.ts";
import type { Admit, StoreAdmitted } from "./executions/admission.ts";
import { createEndings, type Endings } from "./executions/completion-effects.ts";
import type { Executions, Output } from "./executions/executions-api.ts";
import { Seams } from "./extension-points.ts";
import { Floods } from "./output/bulk-output.ts";
import { RecordedOutput } from "./output/output-reader.ts";
import { witnessed } from "./plugins/audited-storage.ts";
import type { EngineDependencies } from "./plugins/engine-dependencies.ts";
import { Executor } from "./runs/executor.ts";
import type { Granting } from "./runs/run-credentials.ts";
import { Leases } from "./runs/run-lease-renewal.ts";
import { createPendingWork, type PendingWork } from "./scheduling/cross-node-wakeup.ts";
import { mayEndAtOnce } from "./scheduling/inline-completion.ts";
import { ReadyRuns } from "./scheduling/inline-start.ts";
import { Recovery } from "./scheduling/orphan-recovery.ts";
import { Scheduler } from "./scheduling/scheduler.ts";
import { StoredExecutions } from "./stored-executions.ts";
import type { TemplateSources } from "./submission/parameter-rendering.ts";
import { observePlugins } from "./telemetry/instrumented-plugins.ts";
import type { TelemetryHub } from "./telemetry/telemetry-hub.ts";

/** The plugins that an engine works with; nobody has started them yet. */
export interface Plugins {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	/** By runner type name. */
	readonly runners: ReadonlyMap<string, Runner>;
	/** By name. */
	readonly sensors: ReadonlyMap<string, Sensor>;
	/** In the order of the configuration. */
	readonly dialects: readonly Dialect[];
	/** May be undefined while authentication is off. */
	readonly authBackend: AuthBackend | undefined;
	/** Who is told what the service does. */
	readonly hub: TelemetryHub;
}

/**
 * What accepts an event or a request, runs it once and keeps what it printed. Features are made of it, and come into it by its seams.
 * Its members may be kept at once and used once the engine has started; `register` of a feature may use the storage and what reads it.
 */
export interface Kernel extends Omit<Plugins, "dialects"> {
	/** Configuration, and what the embedding program gives, beside the options. */
	readonly dependencies: EngineDependencies;
	readonly options: Options;
	/** Parts of the service that this node runs. */
	readonly roles: readonly NodeRole[];
	readonly nodeId: string;
	readonly logger: EngineDependencies["logger"];
	readonly clock: StorageClock;
	/** How this node holds what only one may work at. */
	readonly leasing: Leasing;
	/** Tells every node that something many keep in memory has changed. */
	readonly changes: ChangeFeed;
	/** What content may say in words of other services. */
	readonly dialects: Dialects;
	/** Actions, runner types and packs as they are used. */
	readonly catalog: Catalog;
	/** The door for events. */
	readonly dispatcher: Dispatcher;
	/** Finds triggers by what dispatchers and rules call them. */
	readonly triggerCatalog: TriggerCatalog;
	/** The trigger types of all features. */
	readonly triggerTypes: OwnTriggerTypes;
	readonly executions: Executions;
	readonly output: Output;
	/** What the end of an execution causes, of all features. */
	readonly endings: Endings;
	/** Let `store` keep a new execution, and see to its being run. */
	readonly admit: Admit;
	/** The same of several, which are stored together. */
	readonly admitAll: AdmitAll;
	/** Whether executions of this runner type are made of others. */
	readonly isWorkflow: (runnerName: string) => boolean;
	/** See to a new execution that has been stored. */
	readonly announce: (execution: ExecutionEntity) => void;
	readonly templateSources: TemplateSources;
	readonly authority: Authority;
	/** Encrypts what must not be read where it is kept. */
	readonly keys: KeyRing;
	/** Absolute path of the file with its keys. */
	readonly keyFile: string;
	readonly sealedSecrets: SealedSecrets;
	readonly lateWrites: LateWrites;
	/** Where features come in. */
	readonly seams: Seams;
}

/** Let `store` keep new executions, all or none, and see to their being run. */
export type AdmitAll = (executions: readonly ExecutionEntity[], store: StoreAdmitted) => Promise<void>;

/** The kernel with what starts and ends it. */
export interface WholeKernel extends Kernel {
	readonly processor: Processor;
	readonly executor: Executor;
	readonly scheduler: Scheduler;
	readonly pendingWork: PendingWork;
	readonly leases: Leases;
	readonly recovery: Recovery;
	/** Make the stored catalog say what the configuration says, in the order that its parts need; also again. */
	register(): Promise<void>;
}

/** Put a kernel together. Nothing is opened or started. */
export function createKernel(dependencies: EngineDependencies, plugins: Plugins, nodeId: string): WholeKernel {
	const basics = createBasics(dependencies, plugins, nodeId);
	const events = createEvents(basics);
	const { options } = basics;
	const executor = new Executor({
		...basics,
		...events,
		apiUrl: dependencies.apiUrl,
		dataDirectory: dependencies.dataDirectory,
		admitAll: (executions, store) => admitAll(executions, store),
		onPlace: () => scheduler.lookIfDue(),
	});
	const readyRuns = new ReadyRuns({
		...basics,
		records: executor.records,
		prepare: (execution) => executor.prepare(execution),
		grant: (claimed, prepared) => executor.grant(claimed, prepared),
	});
	const pendingWork = createPendingWork({ ...basics, wake: (work) => scheduler.wake(work) });
	const scheduler: Scheduler = new Scheduler({
		...basics,
		poolSize: options.actionrunner.actions_pool_size,
		pollInterval: options.scheduler.poll_interval,
		announce: pendingWork.announce,
		queues: () => basics.seams.queues,
		ready: (claimed) => readyRuns.statesOf(claimed),
		mayEnd: ({ parent_id, runner_name }) => mayEndAtOnce({ parent_id }, basics.runners.get(runner_name)),
		run: (execution) => executor.run(execution, readyRuns.take(execution)),
		holds: (id) => executor.runs.has(id),
		resting: () => executor.children.resting + basics.seams.resting,
	});
	const admitAll: AdmitAll = (executions, store) => scheduler.admit(executions, store);
	const admit: Kernel["admit"] = (execution, store) => admitAll([execution], ([entity]) => store(entity as ExecutionEntity));
	const recovery = new Recovery({ ...basics, scheduler, recovers: (execution) => executor.recovers(execution) });
	return {
		...basics,
		...events,
		executor,
		scheduler,
		pendingWork,
		admit,
		admitAll,
		announce: (execution) => scheduler.announce(execution),
		recovery,
		leases: new Leases({ ...basics, runs: executor.runs, onRenewed: (leases) => recovery.look(leases) }),
		executions: new StoredExecutions({ ...basics, admit }),
		output: new RecordedOutput(basics),
		register: () => register(basics),
	};
}

type Basics = ReturnType<typeof createBasics>;

/** What everything else is made of. */
function createBasics(dependencies: EngineDependencies, given: Plugins, nodeId: string) {
	const plugins = observePlugins(given);
	const { options, logger, roles } = dependencies;
	const runners = new Map(plugins.runners);
	const seams = new Seams(runners);
	const storage = witnessed(plugins.storage, () => seams.witness);
	const clock = new StorageClock(storage, dependencies.clock, options.scheduler.clock_tolerance);
	const keyFile = options.keyvalue.encryption_key_path || join(dependencies.dataDirectory, "datastore-key.json");
	const keys = new KeyRing({ path: keyFile, isEnabled: options.keyvalue.enable_encryption, logger });
	const leasing = new Leasing({ storage, clock, nodeId, lease: options.scheduler.lease });
	const dialects = new Dialects(plugins.dialects);
	const parts = {
		...plugins,
		storage,
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
		seams,
		floods: new Floods(),
	};
	const changes = createChangeFeed(parts);
	const authority = toAuthority(seams);
	const templateSources: TemplateSources = {
		get items() {
			return seams.items;
		},
		get configuration() {
			return seams.configuration;
		},
		systemUser: options.system_user.user,
		isAdministrator: authority.isAdministrator,
	};
	return {
		...parts,
		changes,
		authority,
		templateSources,
		isWorkflow: (runnerName: string) => runners.get(runnerName)?.capabilities.workflow === true,
		catalog: new Catalog({ ...parts, changes, content: { directory: (pack, content) => seams.content.directory(pack, content) } }),
		lateWrites: createLateWrites(parts),
		sealedSecrets: new SealedSecrets(keys),
		triggerTypes: new OwnTriggerTypes(() => seams.triggerTypes),
		granting: toGranting(seams),
		endings: createEndings({
			...parts,
			follows: () => seams.follows,
			takeBack: (ended) => seams.granting.takeBack(ended),
		}),
	};
}

/** The feature that provides it comes later than this, so it is looked up at each call. */
function toAuthority(seams: Pick<Seams, "authority">): Authority {
	return {
		principalOf: (username) => seams.authority.principalOf(username),
		isAdministrator: (username) => seams.authority.isAdministrator(username),
		assertMayRun: (principal, actionRef) => seams.authority.assertMayRun(principal, actionRef),
	};
}

/** Features come later than this: they are asked each time. */
function toGranting(seams: Pick<Seams, "granting">): Granting {
	return {
		give: (execution) => seams.granting.give(execution),
		toEnvironment: (secret) => seams.granting.toEnvironment(secret),
		takeBack: (execution) => seams.granting.takeBack(execution),
	};
}

/** The door for events, and what brings them to whoever reacts. */
function createEvents(basics: Basics) {
	const { options, seams } = basics;
	const triggerCatalog = createTriggerCatalog(basics);
	const reactor = () => seams.reactor;
	const processor = new Processor({
		...basics,
		reactor,
		poolSize: options.rules.pool_size,
		pollInterval: options.scheduler.poll_interval,
	});
	return { triggerCatalog, processor, dispatcher: new EventDoor({ ...basics, triggerCatalog, reactor, processor }) };
}

async function register({ catalog, runners, seams, ...parts }: Basics): Promise<void> {
	await catalog.registerRunnerTypes(runners);
	await registerTriggerTypes(
		parts,
		seams.triggerTypes.flatMap(({ type, isEnabled = true }) => (isEnabled ? [type] : [])),
	);
	for (const feature of seams.features) await feature.register?.();
}
