import type { EntityKind, NodeRole, Runner } from "../contract/index.ts";
import type { Authority } from "./basics/principal.ts";
import type { EventHandler } from "./events/event-handler.ts";
import type { TriggerTypeDefinition, TriggerTypeRegistry } from "./events/trigger-type-registry.ts";
import type { PackContentSource } from "./executions/action-catalog.ts";
import type { CompletionEffectsHook, CompletionHookResult } from "./executions/completion-effects.ts";
import type { BackgroundLoop } from "./nodes/node-lifecycle.ts";
import type { WriteInterceptor } from "./plugins/engine-storage.ts";
import type { IssuedCredentials, RunCredentials } from "./runs/run-credentials.ts";
import type { ExecutionQueues } from "./scheduling/execution-queues-api.ts";
import type { DatastoreSource, PackConfigurationSource } from "./submission/parameter-rendering.ts";

export type {
	Authority,
	BackgroundLoop,
	CompletionEffectsHook,
	CompletionHookResult,
	DatastoreSource,
	EventHandler,
	ExecutionQueues,
	IssuedCredentials,
	PackConfigurationSource,
	PackContentSource,
	RunCredentials,
	TriggerTypeDefinition,
	TriggerTypeRegistry,
	WriteInterceptor,
};

/** Kind of records that expire a number of days after the time in one of their fields, and are then removed. */
export interface ExpiringRecords {
	readonly kind: EntityKind;
	/** Field that contains that time. An index must begin with this field. */
	readonly timeField: string;
	/** Days from that time to the expiry. */
	readonly days: number;
}

/**
 * Part of the engine that the kernel does not depend on: the API that it adds to the engine, and its extensions of the kernel. Every member
 * but `api` is optional.
 *
 * A feature is created by a function that gets the kernel and other features. Nothing is opened or started at that time. So the function
 * may keep these objects, but must not use them yet.
 *
 * The kernel calls features in the order of the feature list.
 */
export interface Feature<Api extends object = object> {
	/** Members that the feature adds to the engine. May be called only after `start`. */
	readonly api: Api;

	/**
	 * Trigger types whose events the feature dispatches. They are registered before `register` is called. Only administrators may dispatch
	 * events of such a type by naming its trigger, unless the type defines `assertInjectable`.
	 */
	readonly triggerTypes?: readonly TriggerTypeDefinition[];

	/** Kinds of records that expire. Read at each removal, so the value may change while the engine runs. */
	readonly expiringRecords?: readonly ExpiringRecords[];

	/**
	 * Stores the records that configuration and files describe. Called at each start, after the trigger types are registered and before
	 * anything else runs. `svc plan` calls it on a copy of the storage, so it must write nothing elsewhere. It may be called again, because a
	 * start is repeated while the storage is unavailable. Any other error makes the start fail.
	 */
	register?(): Promise<void>;

	/**
	 * Completion hook: returns what must be stored in the same write as the end of an execution. Called with the execution as it is about to
	 * be stored: with a final status, or as a question (`pending`). May be called several times for one end, because the write may be refused.
	 * If it fails, the error is logged and its operations are left out. While the storage is unavailable (`SVC_UNAVAILABLE`), the end waits.
	 */
	readonly onCompletion?: CompletionEffectsHook;

	/** Queues of executions that must wait before they may be claimed. At most one feature; default: no execution waits. */
	readonly executionQueues?: ExecutionQueues;

	/** Event handler. At most one feature; default: events are stored as processed, and nothing else happens. */
	readonly eventHandler?: EventHandler;

	/** Run credentials: issued to a run in addition to its parameters, and revoked at its end. At most one feature; default: none. */
	readonly runCredentials?: RunCredentials;

	/** Permissions of users for work that the service does in their name. At most one feature; default: every user may do everything. */
	readonly authority?: Authority;

	/**
	 * Write interceptor: adds operations to the write that stores a change. If they cannot be stored, the change is not made. At most one
	 * feature; default: none.
	 */
	readonly writeInterceptor?: WriteInterceptor;

	/** Built-in runners, by the name of their runner type. The feature itself starts and stops them. */
	readonly runners?: ReadonlyMap<string, Runner>;

	/**
	 * Returns the runner to call instead of the given one, for example one that carries out runs on another machine. Called once for each
	 * runner of the configuration, which is started and stopped as before. Several features are called in order, each with the result of
	 * the previous one.
	 */
	wrapRunner?(name: string, runner: Runner): Runner;

	/** Returns the number of runs of this node that take no slot, because their work is done elsewhere. Default: 0. */
	runsWithoutSlot?(): number;

	/** Directories of this node that contain pack contents from the storage. At most one feature; default: there are none. */
	readonly packContent?: PackContentSource;

	/** Datastore that templates read by name. At most one feature; default: there is none. */
	readonly datastore?: DatastoreSource;

	/** Configurations of packs, which templates and runs read. At most one feature; default: there are none. */
	readonly packConfiguration?: PackConfigurationSource;

	/**
	 * Background loops, each for nodes with its role. They start last, after all features. They stop first, all at the same time: from the
	 * call of `stop` on, no loop starts work. If a node is drained and resumed, its loops are stopped and started again.
	 */
	readonly loops?: readonly (readonly [role: NodeRole, loop: BackgroundLoop])[];

	/**
	 * Starts the feature after the registration of all features. May be called again if it has rejected because the storage is unavailable.
	 * Any other error makes the start fail.
	 */
	start?(): Promise<void> | void;

	/** Stops the feature once no execution runs. Features are stopped in reverse order, even if they were not started. Errors are logged. */
	stop?(): Promise<void> | void;
}
