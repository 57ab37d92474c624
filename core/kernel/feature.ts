import type { EntityKind, NodeRole, Runner } from "../contract/index.ts";
import type { Authority } from "./basics/principal.ts";
import type { Reactor } from "./events/event-handler.ts";
import type { OwnTriggerTypes, TriggerTypeDefinition } from "./events/trigger-type-registry.ts";
import type { ContentSource } from "./executions/action-catalog.ts";
import type { EndingDraft, Follow } from "./executions/completion-effects.ts";
import type { WorkLoop } from "./nodes/role-loops.ts";
import type { Witness } from "./plugins/audited-storage.ts";
import type { Granting, RunGrant } from "./runs/run-credentials.ts";
import type { Queues } from "./scheduling/execution-queues.ts";
import type { ConfigurationSource, ItemSource } from "./submission/parameter-rendering.ts";

export type {
	Authority,
	ConfigurationSource,
	ContentSource,
	EndingDraft,
	Follow,
	Granting,
	ItemSource,
	OwnTriggerTypes,
	Queues,
	Reactor,
	RunGrant,
	TriggerTypeDefinition,
	Witness,
	WorkLoop,
};

/** Records that are removed when they have grown old. */
export interface AgingRecords {
	readonly kind: EntityKind;
	/** Field with their time, which an index begins with. */
	readonly time: string;
	/** Days after that time. */
	readonly days: number;
}

/**
 * A part of the engine that the kernel knows nothing of: what it offers programs, and the few places where the kernel asks it.
 * Everything but `api` is optional. A feature is made by a function of the kernel and of what it needs of other features; nothing is
 * open or started then, so that it may keep what it is given and must not use it yet.
 *
 * The kernel asks in the order of the list that the features stand in.
 */
export interface Feature<Api extends object = object> {
	/** What the engine has of it: each member becomes a member of the engine. May be called after `start` only. */
	readonly api: Api;

	/** Trigger types whose events it makes. Made known before `register`, and guarded against whoever only names them. */
	readonly triggerTypes?: readonly TriggerTypeDefinition[];

	/** Kinds of records that go when they have grown old. Asked at each collection, so that what it says may change. */
	readonly aging?: readonly AgingRecords[];

	/**
	 * REGISTER: make what is stored say what configuration and files say. Called at each start before anything works, after the
	 * trigger types are known, and on a draft of the storage by `svc plan`, so that it writes nowhere else. It may be called again: while
	 * the storage is away a start tries until it is there. What it throws otherwise ends the start.
	 */
	register?(): Promise<void>;

	/**
	 * FOLLOW: what must be stored in the same write as the end of an execution, or not at all. Called with the execution as it is about
	 * to be stored, final or with a question (`pending`); perhaps several times for one end, as a write may be refused. A failure is
	 * logged, and what the feature would have made is left out; while the storage is away (`SVC_UNAVAILABLE`) the end waits.
	 */
	readonly follow?: Follow;

	/** HOLD: executions that must wait before they may be claimed. One feature at most; default: none waits. */
	readonly queues?: Queues;

	/** REACT: what to do about events. One feature at most; default: nothing, and events are stored as processed. */
	readonly reactor?: Reactor;

	/** GRANT: what a run is given besides parameters, and what is taken back with its end. One feature at most; default: nothing. */
	readonly granting?: Granting;

	/** WHO: what somebody may do in whose name something runs. One feature at most; default: everything. */
	readonly authority?: Authority;

	/** WITNESS: what must be stored in the same write as a change, or the change is not made. One feature at most; default: nothing. */
	readonly witness?: Witness;

	/** RUN: runner types that it brings, by name. They are started and stopped with the feature, by itself. */
	readonly runners?: ReadonlyMap<string, Runner>;

	/**
	 * PLACE: what is called in the place of a runner, such as one that has runs carried out elsewhere. Called once for each runner of the
	 * configuration, which is started and stopped as before. Several features are asked in order, each with what the one before has answered.
	 */
	place?(name: string, runner: Runner): Runner;

	/** PLACE: how many runs of this node wait for something elsewhere, and take no place of others meanwhile. Default: none. */
	resting?(): number;

	/** FILES: where content that the storage keeps lies on this node. One feature at most; default: there is none. */
	readonly content?: ContentSource;

	/** READ: what templates look up by name. One feature at most has each; default: there is nothing. */
	readonly items?: ItemSource;
	readonly configuration?: ConfigurationSource;

	/**
	 * WORK: loops that take on work, each on nodes with its role. Started last, after all features; stopped first, and all at once: none
	 * takes on anything from the moment of the call. Also again, where a node is drained and resumed.
	 */
	readonly work?: readonly (readonly [role: NodeRole, loop: WorkLoop])[];

	/** Everything is registered. May be called again after it was rejected because the storage is away; another failure ends the start. */
	start?(): Promise<void> | void;

	/** In reverse order, when nothing runs any more; also without `start`. A failure is logged. */
	stop?(): Promise<void> | void;
}
