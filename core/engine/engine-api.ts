import type { Access } from "./access/access.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Actions, RunnerTypes } from "./catalog-api.ts";
import type { Credentials } from "./credentials-api.ts";
import type { DatastoreItems } from "./datastore/items-api.ts";
import type { Events } from "./events-api.ts";
import type { Executions, Output } from "./executions-api.ts";
import type { Inquiries } from "./inquiries/inquiries-api.ts";
import type { Nodes, Readiness } from "./nodes/nodes-api.ts";
import type { PackConfigs } from "./pack-config/pack-configs-api.ts";
import type { Policies } from "./policies/policies-api.ts";
import type { Retention } from "./retention/retention-api.ts";
import type { Enforcements, Rules } from "./rules/rules-api.ts";
import type { RunAction } from "./runs-api.ts";
import type { SensorTypes } from "./sensors/sensor-types-api.ts";
import type { TimersApi } from "./timers/timers-api.ts";
import type { Traces } from "./traces-api.ts";
import type { Dispatcher } from "./triggers/dispatcher.ts";
import type { TriggersApi } from "./triggers/triggers-api.ts";
import type { Webhooks } from "./webhooks/webhooks-api.ts";

export type { Access, AssignmentFilter, RoleAssignment } from "./access/access.ts";
export type { Resource } from "./access/allows.ts";
export type { PermissionType } from "./access/permission-types.ts";
export type { ApiKeyInput, ApiKeys } from "./api-keys.ts";
export type * from "./catalog-api.ts";
export type * from "./credentials-api.ts";
export type { DatastoreItems, ItemInput, ItemListQuery } from "./datastore/items-api.ts";
export type { RotationReport } from "./datastore/rotation.ts";
export type { ShownItem } from "./datastore/shown-item.ts";
export type * from "./events-api.ts";
export type * from "./executions-api.ts";
export type { Inquiries, Inquiry, InquiryView } from "./inquiries/inquiries-api.ts";
export type { Nodes, NodeView, Readiness, UnreadyReason } from "./nodes/nodes-api.ts";
export type { PackConfig, PackConfigSchema, PackConfigs } from "./pack-config/pack-configs-api.ts";
export type { Page } from "./page.ts";
export type * from "./policies/policies-api.ts";
export type { Principal } from "./principal.ts";
export type * from "./retention/retention-api.ts";
export type * from "./rules/rules-api.ts";
export type * from "./runs-api.ts";
export type { SensorFilter, SensorTypes } from "./sensors/sensor-types-api.ts";
export type { TimersApi, TimerView } from "./timers/timers-api.ts";
export type * from "./traces-api.ts";
export type { Dispatch, Dispatcher } from "./triggers/dispatcher.ts";
export type * from "./triggers/triggers-api.ts";

/** The engine: everything the service does, without HTTP. */
export interface Engine {
	readonly nodeId: string;
	/** Run an action: its output as it is written, and its end. */
	readonly run: RunAction;
	readonly executions: Executions;
	readonly inquiries: Inquiries;
	readonly output: Output;
	readonly events: Events;
	readonly actions: Actions;
	readonly runnerTypes: RunnerTypes;
	readonly credentials: Credentials;
	readonly apiKeys: ApiKeys;
	readonly access: Access;
	/** The door for events: what is dispatched here is looked at by rules. */
	readonly dispatcher: Dispatcher;
	readonly datastore: DatastoreItems;
	readonly packConfigs: PackConfigs;
	readonly retention: Retention;
	readonly webhooks: Webhooks;
	readonly triggers: TriggersApi;
	readonly rules: Rules;
	readonly enforcements: Enforcements;
	readonly policies: Policies;
	readonly traces: Traces;
	readonly timers: TimersApi;
	readonly sensorTypes: SensorTypes;
	/** The processes that make up the service, this one among them. */
	readonly nodes: Nodes;
	/** Whether this node is to be sent requests. Never rejects; may be asked at any time. */
	readiness(): Promise<Readiness>;
	/**
	 * Starts plugins in order, registers packs, recovers what an earlier process left, begins to work as far as the node's roles go.
	 * Where the storage is for several processes and is away, waits for it until it is told to stop. `SVC_CONFIG` when the node cannot
	 * go together with those that are there.
	 */
	start(): Promise<void>;
	/**
	 * Where no user exists yet, make the first administrator. To be called once the service is up: the
	 * password is shown nowhere else.
	 */
	ensureFirstUser(): Promise<FirstUser | undefined>;
	/** Takes on nothing from the moment of the call, waits for runs as configured, then ends the rest. Everything else goes on. */
	drain(): Promise<void>;
	/** `drain` without waiting for runs: also for a drain under way. */
	abort(): Promise<void>;
	/** `drain`, then stops plugins in reverse. May be called before `start` and twice. */
	stop(): Promise<void>;
	/** `stop`, for `await using`. */
	[Symbol.asyncDispose](): Promise<void>;
}

/** The administrator made at the first start. */
export interface FirstUser {
	readonly username: string;
	/** Given only when it was generated: whoever set it knows it. */
	readonly password?: string;
}
