import type { Access } from "../features/access/access.ts";
import type { ApiKeys } from "../features/access/api-keys.ts";
import type { Credentials } from "../features/access/credentials-api.ts";
import type { FirstUser } from "../features/access/first-user.ts";
import type { Actions, RunnerTypes } from "../features/actions/catalog-api.ts";
import type { DatastoreItems } from "../features/datastore/items-api.ts";
import type { Events } from "../features/executions/events-api.ts";
import type { RunAction } from "../features/executions/runs-api.ts";
import type { Inquiries } from "../features/inquiries/inquiries-api.ts";
import type { PackConfigs } from "../features/packs/pack-configs-api.ts";
import type { Policies } from "../features/policies/policies-api.ts";
import type { Retention } from "../features/retention/retention-api.ts";
import type { Enforcements, Rules } from "../features/rules/rules-api.ts";
import type { SensorTypes } from "../features/sensors/sensor-types-api.ts";
import type { TimersApi } from "../features/timers/timers-api.ts";
import type { Traces } from "../features/traces/traces-api.ts";
import type { TriggersApi } from "../features/triggers/triggers-api.ts";
import type { Webhooks } from "../features/webhooks/webhooks-api.ts";
import type { Dispatcher } from "./events/dispatcher.ts";
import type { Executions, Output } from "./executions/executions-api.ts";
import type { Nodes, Readiness } from "./nodes/nodes-api.ts";

export type { Access, AssignmentFilter, RoleAssignment } from "../features/access/access.ts";
export type { Resource } from "../features/access/allows.ts";
export type { ApiKeyInput, ApiKeys } from "../features/access/api-keys.ts";
export type * from "../features/access/credentials-api.ts";
export type { FirstUser } from "../features/access/first-user.ts";
export type { PermissionType } from "../features/access/permission-types.ts";
export type * from "../features/actions/catalog-api.ts";
export type { DatastoreItems, ItemInput, ItemListQuery } from "../features/datastore/items-api.ts";
export type { RotationReport } from "../features/datastore/rotation.ts";
export type { ShownItem } from "../features/datastore/shown-item.ts";
export type * from "../features/executions/events-api.ts";
export type * from "../features/executions/runs-api.ts";
export type { Inquiries, Inquiry, InquiryView } from "../features/inquiries/inquiries-api.ts";
export type { PackConfig, PackConfigSchema, PackConfigs } from "../features/packs/pack-configs-api.ts";
export type * from "../features/policies/policies-api.ts";
export type * from "../features/retention/retention-api.ts";
export type * from "../features/rules/rules-api.ts";
export type { SensorFilter, SensorTypes } from "../features/sensors/sensor-types-api.ts";
export type { TimersApi, TimerView } from "../features/timers/timers-api.ts";
export type * from "../features/traces/traces-api.ts";
export type * from "../features/triggers/triggers-api.ts";
export type { Page } from "./basics/page.ts";
export type { Principal } from "./basics/principal.ts";
export type { Dispatch, Dispatcher } from "./events/dispatcher.ts";
export type * from "./executions/executions-api.ts";
export type { Nodes, NodeView, Readiness, UnreadyReason } from "./nodes/nodes-api.ts";

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
