import type {
	ActionEntity,
	ExecutionEntity,
	ExecutionStatus,
	JsonObject,
	JsonValue,
	OutputChunkEntity,
	OutputType,
	ParameterSchema,
	RunnerTypeEntity,
	SnapshotEntity,
} from "../contract/index.ts";
import type { Access } from "./access/access.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { DatastoreItems } from "./datastore/items-api.ts";
import type { Inquiries } from "./inquiries/inquiries-api.ts";
import type { PackConfigs } from "./pack-config/pack-configs-api.ts";
import type { Principal } from "./principal.ts";
import type { Enforcements, Rules } from "./rules/rules-api.ts";
import type { TimersApi } from "./timers/timers-api.ts";
import type { Traces } from "./traces-api.ts";
import type { Dispatcher } from "./triggers/dispatcher.ts";
import type { TriggersApi } from "./triggers/triggers-api.ts";
import type { Webhooks } from "./webhooks/webhooks-api.ts";

/** An execution with what is needed to show it: its snapshot and the ids of its children. */
export interface ExecutionView {
	/** Fields that were not asked for are absent. */
	readonly entity: ExecutionEntity;
	readonly snapshot: SnapshotEntity;
	readonly children: readonly string[];
}

/** Body of `POST /executions`, checked for types by the route. */
export interface SubmitInput {
	readonly action: string;
	readonly parameters?: JsonObject;
	/** Values taken as they are, never rendered, where `parameters` has none: what an earlier execution ran with. Not for outside input. */
	readonly plainParameters?: JsonObject;
	/** Another user only for administrators. Null or empty: the principal. */
	readonly user?: string | null;
	readonly context?: JsonObject;
	readonly notify?: JsonObject;
	readonly callback?: JsonObject;
	/** Milliseconds. */
	readonly delay?: number;
}

export interface RerunInput {
	readonly parameters?: JsonObject;
	readonly tasks?: readonly string[];
	readonly reset?: readonly string[];
	readonly user?: string;
	readonly delay?: number;
	/** Take only the given parameters instead of laying them over the old ones. */
	readonly noMerge?: boolean;
}

/** Every field given must match: one value, null for none, or any of a list. An empty list matches nothing. */
export type ExecutionFilter = {
	readonly [F in
		| "id"
		| "status"
		| "parent_id"
		| "action_ref"
		| "runner_name"
		| "rule_name"
		| "trigger_name"
		| "trigger_type_name"
		| "trigger_instance_id"
		| "user"
		| "liveaction_id"
		| "trace_id"]?: string | null | readonly string[];
} & {
	/** Inclusive bounds. */
	readonly start_timestamp?: { readonly gt?: string; readonly gte?: string; readonly lt?: string; readonly lte?: string };
};

export interface ExecutionListQuery {
	readonly filter: ExecutionFilter;
	/** Field of `ExecutionEntity` and direction; default start_timestamp descending, then action_ref. */
	readonly orderBy?: readonly (readonly [keyof ExecutionEntity, "asc" | "desc"])[];
	/** Undefined: no limit. */
	readonly limit?: number;
	readonly offset?: number;
	/** Entity fields that will be shown; default all. Leaving out `result` keeps lists of large results quick. */
	readonly fields?: readonly (keyof ExecutionEntity)[];
	/** Whether `children` will be shown. Default true. */
	readonly children?: boolean;
}

export interface Page<T> {
	readonly items: readonly T[];
	/** Records that match, paging ignored. */
	readonly total: number;
}

export interface Executions {
	/** Create an execution: on disk with status `requested` when the promise resolves. Errors as in reference 8.1. */
	submit(input: SubmitInput, principal: Principal): Promise<ExecutionView>;
	/** `last` stands for the most recently scheduled one (`SVC_INVALID` while there is none). `SVC_NOT_FOUND` for anything unknown. */
	get(idOrLast: string, options?: { readonly fields?: readonly (keyof ExecutionEntity)[] }): Promise<ExecutionView>;
	list(query: ExecutionListQuery): Promise<Page<ExecutionView>>;
	/** Descendants in depth-first order, or by start time. `depth` 0 or negative: all generations. */
	children(id: string, options: { readonly depth: number; readonly sorted: boolean }): Promise<ExecutionView[]>;
	/** Ask for the end of an execution. `refused` says why it cannot be canceled any more (specification of DELETE: 200 with a faultstring). */
	cancel(id: string, principal: Principal): Promise<{ readonly view: ExecutionView; readonly refused?: string }>;
	/** PUT: change of status from outside, by the table of reference 9.1. */
	setStatus(
		id: string,
		change: { readonly status?: ExecutionStatus; readonly result?: JsonObject },
		principal: Principal,
	): Promise<ExecutionView>;
	rerun(id: string, input: RerunInput, principal: Principal): Promise<ExecutionView>;
	/** Different values in use, for each filter name of `views/filters`. */
	filterValues(types: readonly string[] | undefined): Promise<Record<string, JsonValue>>;
}

/** A recorded chunk with the refs its event carries. */
export type OutputChunk = OutputChunkEntity & { readonly action_ref: string; readonly runner_ref: string };

export interface Output {
	/** The stored text so far, in pieces; ends when all that is stored has been read. */
	read(executionId: string, options: { readonly type?: OutputType; readonly signal?: AbortSignal }): AsyncIterable<string>;
	/**
	 * Every chunk once, in sequence: what is stored after `after`, then what arrives, until the execution is final. No gap and
	 * no repeat, whenever it is called. Ends without an error when `signal` aborts.
	 */
	follow(
		executionId: string,
		options: { readonly type?: OutputType; readonly after?: number; readonly signal: AbortSignal },
	): AsyncIterable<OutputChunk>;
}

/** An event of the general stream. */
export type StreamEvent =
	| { readonly name: string; readonly kind: "execution" | "liveaction"; readonly view: ExecutionView }
	| { readonly name: string; readonly kind: "output"; readonly chunk: OutputChunk }
	| { readonly name: string; readonly kind: "other"; readonly data: JsonObject };

export interface Events {
	/** Active when the promise resolves; only what happens afterwards. A `*` at the end of a name stands for any rest. */
	subscribe(names: readonly string[], options: { readonly signal: AbortSignal }): Promise<AsyncIterable<StreamEvent>>;
}

/** Body of action create and update. */
export interface ActionInput {
	readonly name: string;
	readonly pack?: string;
	readonly description?: string;
	readonly runner_type: string;
	readonly entry_point?: string;
	readonly enabled?: boolean;
	readonly parameters?: JsonObject;
	readonly output_schema?: JsonObject;
	readonly tags?: readonly JsonObject[];
	readonly notify?: JsonObject;
	readonly metadata_file?: string;
	readonly data_files?: readonly { readonly file_path: string; readonly content: string }[];
}

export interface ActionFilter {
	readonly id?: string | readonly string[];
	readonly name?: string | readonly string[];
	readonly pack?: string;
	/** Name of a tag. */
	readonly tags?: string;
}

export interface Actions {
	list(filter: ActionFilter, paging: { readonly limit?: number; readonly offset?: number }): Promise<Page<ActionEntity>>;
	/** By ref or id; `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<ActionEntity>;
	create(input: ActionInput): Promise<ActionEntity>;
	/** Full replacement. `********` as the default of a parameter that was and stays secret keeps the stored one. */
	update(refOrId: string, input: ActionInput): Promise<ActionEntity>;
	remove(refOrId: string, options: { readonly removeFiles: boolean }): Promise<void>;
	clone(
		refOrId: string,
		target: { readonly dest_pack: string; readonly dest_action: string; readonly overwrite: boolean },
	): Promise<ActionEntity>;
	/** For each action its runner's parameters overlaid with its own. One whose runner type is not registered has only its own. */
	mergedParameters(actions: readonly ActionEntity[]): Promise<readonly ParameterSchema[]>;
	/** Text of the entry point and its path; `SVC_NOT_FOUND` when there is none. */
	entryPoint(refOrId: string): Promise<{ readonly path: string; readonly text: string }>;
}

export interface RunnerTypes {
	list(
		filter: { readonly id?: string | readonly string[]; readonly name?: string | readonly string[] },
		/** Default order: by name. */
		page: {
			readonly limit?: number;
			readonly offset?: number;
			readonly orderBy?: readonly (readonly [keyof RunnerTypeEntity & ("id" | "name"), "asc" | "desc"])[];
		},
	): Promise<Page<RunnerTypeEntity>>;
	/** By name or id; `SVC_NOT_FOUND`. */
	get(nameOrId: string): Promise<RunnerTypeEntity>;
	setEnabled(nameOrId: string, enabled: boolean): Promise<RunnerTypeEntity>;
}

/** What a fronting proxy says of a request. */
export interface RemoteUser {
	/** Undefined when it names nobody. */
	readonly username: string | undefined;
	/** Address of the peer of the connection: must be a trusted proxy. */
	readonly peerAddress: string | undefined;
	/** Address of the client, as the proxy gives it. */
	readonly remoteAddress: string | undefined;
}

export interface IssuedToken {
	readonly id: string;
	readonly user: string;
	/** Shown here and never again. */
	readonly token: string;
	readonly expiry: string;
	readonly metadata: JsonObject;
	readonly service: boolean;
}

/** What a request offered, before it is checked. */
export interface OfferedCredentials {
	readonly token?: string;
	readonly apiKey?: string;
	readonly location: "header" | "query";
}

export interface Credentials {
	/**
	 * Issue a token to whoever the fronting proxy has authenticated (`auth.mode: "proxy"`). `SVC_UNAUTHORIZED` when the request
	 * does not come from a trusted proxy.
	 */
	signInByProxy(remote: RemoteUser, options: { readonly ttl?: number | null }): Promise<IssuedToken>;
	/** Sign in and issue a token. `SVC_UNAUTHORIZED` for wrong credentials, `SVC_INVALID` for a bad `ttl` (seconds). */
	signIn(
		credentials: { readonly username: string; readonly password: string },
		/** `remoteAddress` is for the log. */
		options: { readonly ttl?: number | null; readonly remoteAddress?: string; readonly signal: AbortSignal },
	): Promise<IssuedToken>;
	/** Who it is; `SVC_UNAUTHORIZED` with the word Unauthorized in the message otherwise. With authentication off: the system user. */
	authenticate(offered: OfferedCredentials | undefined): Promise<Principal>;
	/** End a token: one's own, or as an administrator anybody's. `SVC_NOT_FOUND` for an unknown or expired one. */
	revoke(token: string, principal: Principal): Promise<void>;
	/** Whether `token` is known and has not expired. */
	validate(token: string): Promise<boolean>;
}

export type { Access, AssignmentFilter, RoleAssignment } from "./access/access.ts";
export type { Resource } from "./access/allows.ts";
export type { PermissionType } from "./access/permission-types.ts";
export type { ApiKeyInput, ApiKeys } from "./api-keys.ts";
export type { DatastoreItems, ItemInput, ItemListQuery } from "./datastore/items-api.ts";
export type { RotationReport } from "./datastore/rotation.ts";
export type { ShownItem } from "./datastore/shown-item.ts";
export type { Inquiries, Inquiry } from "./inquiries/inquiries-api.ts";
export type { PackConfig, PackConfigSchema, PackConfigs } from "./pack-config/pack-configs-api.ts";
export type { Principal } from "./principal.ts";
export type * from "./rules/rules-api.ts";
export type { TimersApi, TimerView } from "./timers/timers-api.ts";
export type * from "./traces-api.ts";
export type { Dispatch, Dispatcher } from "./triggers/dispatcher.ts";
export type * from "./triggers/triggers-api.ts";

/** The engine: everything the service does, without HTTP. */
export interface Engine {
	readonly nodeId: string;
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
	readonly webhooks: Webhooks;
	readonly triggers: TriggersApi;
	readonly rules: Rules;
	readonly enforcements: Enforcements;
	readonly traces: Traces;
	readonly timers: TimersApi;
	/** Starts plugins in order, registers packs, recovers what an earlier process left, begins to schedule. */
	start(): Promise<void>;
	/**
	 * Where no user exists yet, make the first administrator. To be called once the service is up: the
	 * password is shown nowhere else.
	 */
	ensureFirstUser(): Promise<FirstUser | undefined>;
	/** Claims nothing more and waits for runs as configured, then ends the rest. Everything else goes on. */
	drain(): Promise<void>;
	/** `drain`, then stops plugins in reverse. May be called before `start` and twice. */
	stop(): Promise<void>;
}

/** The administrator made at the first start. */
export interface FirstUser {
	readonly username: string;
	/** Given only when it was generated: whoever set it knows it. */
	readonly password?: string;
}
