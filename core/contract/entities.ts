import type { JsonObject } from "./json.ts";
import type { DutyEntity, NodeEntity, PolicyEntity } from "./node-entities.ts";
import type { ParameterSchema } from "./parameters.ts";
import type { OutputType } from "./runner.ts";
import type {
	KeyValueEntity,
	RuleEnforcementEntity,
	RuleEntity,
	SensorEntity,
	TimerEntity,
	TriggerEntity,
	TriggerInstanceEntity,
	TriggerTypeEntity,
	WebhookDeliveryEntity,
} from "./trigger-entities.ts";

/**
 * What a storage keeps. A new kind is an interface, a line in `EntityMap` and an entry in `entityKinds` (entity-kinds.ts); storage plugins take
 * tables, columns and indexes from there.
 *
 * Every field is always present; what is not known is null. `id` is 24 hex characters, time-ordered, except where noted.
 * Times are ISO 8601 UTC with microseconds and a trailing Z, so that they sort as text.
 */
export interface EntityMap {
	execution: ExecutionEntity;
	snapshot: SnapshotEntity;
	output_chunk: OutputChunkEntity;
	trace: TraceEntity;
	pack: PackEntity;
	action: ActionEntity;
	runner_type: RunnerTypeEntity;
	token: TokenEntity;
	user: UserEntity;
	api_key: ApiKeyEntity;
	role_assignment: RoleAssignmentEntity;
	sign_in_failure: SignInFailureEntity;
	sign_in_place: SignInPlaceEntity;
	trigger_type: TriggerTypeEntity;
	trigger: TriggerEntity;
	trigger_instance: TriggerInstanceEntity;
	rule: RuleEntity;
	rule_enforcement: RuleEnforcementEntity;
	webhook_delivery: WebhookDeliveryEntity;
	timer: TimerEntity;
	key_value: KeyValueEntity;
	sensor: SensorEntity;
	policy: PolicyEntity;
	node: NodeEntity;
	duty: DutyEntity;
}

/** Name of a kind of entities. */
export type EntityKind = keyof EntityMap;

/** States of an execution (docs/execution-lifecycle.md). */
export type ExecutionStatus =
	| "requested"
	| "scheduled"
	| "delayed"
	| "running"
	| "succeeded"
	| "failed"
	| "timeout"
	| "abandoned"
	| "canceling"
	| "canceled"
	| "pending"
	| "pausing"
	| "paused"
	| "resuming";

/** One run of an action. Execution and live action of the specification are one record; both ids are kept. */
export interface ExecutionEntity {
	readonly id: string;
	readonly liveaction_id: string;
	readonly status: ExecutionStatus;
	readonly action_ref: string;
	readonly runner_name: string;
	readonly user: string;
	/** Whose permissions count for its templates where those of `user` do not: the author of the rule that started it. Null: the user's. */
	readonly author: string | null;
	/** What the token of its action may be used for: the scopes of the API key that it was started with. Null: all that its user may. */
	readonly scopes: readonly string[] | null;
	readonly parent_id: string | null;
	readonly trace_id: string;
	readonly rule_name: string | null;
	readonly trigger_name: string | null;
	readonly trigger_type_name: string | null;
	readonly trigger_instance_id: string | null;
	readonly start_timestamp: string;
	readonly end_timestamp: string | null;
	readonly elapsed_seconds: number | null;
	/** Not before this time; `start_timestamp` plus `delay`. */
	readonly due_timestamp: string;
	/** Milliseconds asked for before scheduling. */
	readonly delay: number | null;
	/** How often it has been started, from 0. */
	readonly attempt: number;
	/** Node that holds the lease, null while nobody does. */
	readonly owner: string | null;
	/** New at each claim; every write about the run carries it and is refused when it is stale. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** Ref of the action whose concurrency policies say when it is scheduled; null when none has a say, or has had it. */
	readonly queue: string | null;
	/** Id of the `snapshot` with action and runner type as they were at creation. */
	readonly snapshot_id: string;
	readonly result_size: number | null;
	readonly log: readonly { readonly status: ExecutionStatus; readonly timestamp: string }[];
	readonly context: JsonObject;
	readonly notify: JsonObject | null;
	readonly callback: JsonObject | null;
	readonly runner_info: JsonObject | null;
	/** What the runner needs to find the run again (`saveState`), null when it cannot be found. Shown nowhere. */
	readonly run_state: JsonObject | null;
	/**
	 * What was known to be secret besides the execution's own parameters, encrypted; null: nothing. It is masked wherever the execution is
	 * shown, and shown nowhere itself.
	 */
	readonly known_secrets: string | null;
	/** As given by the caller (rendered, cast), with real values of secrets. */
	readonly parameters: JsonObject;
	readonly result: JsonObject | null;
}

/** Action and runner type as they were; the id is derived from the content, so equal ones are kept once. */
export interface SnapshotEntity {
	readonly id: string;
	readonly action: ActionEntity;
	readonly runner: RunnerTypeEntity;
}

/** A piece of the output of an execution, as it is kept. */
export interface OutputChunkEntity {
	readonly id: string;
	readonly execution_id: string;
	/** From 1 without gaps within one execution, over all output types. */
	readonly sequence: number;
	readonly output_type: OutputType;
	readonly timestamp: string;
	readonly data: string;
	/** Where `data` holds secrets: start and end of each, in turn, as indexes of the string. Null: nowhere that is known of. */
	readonly secret_spans: readonly number[] | null;
}

/** What ties together everything that came of one event or request. */
export interface TraceEntity {
	readonly id: string;
	readonly trace_tag: string;
	readonly start_timestamp: string;
}

/** A pack, as it is kept. */
export interface PackEntity {
	readonly id: string;
	readonly ref: string;
	readonly name: string;
	readonly description: string;
	readonly version: string;
	readonly author: string;
	/** Absolute directory; null for packs without one (`core`, `default`). */
	readonly path: string | null;
	/** The manifest, unknown members included. */
	readonly metadata: JsonObject;
}

/** An action, as it is kept. */
export interface ActionEntity {
	readonly id: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly runner_type: string;
	/** File below the pack's `actions` directory, or empty. */
	readonly entry_point: string;
	readonly enabled: boolean;
	readonly metadata_file: string | null;
	readonly parameters: ParameterSchema;
	readonly output_schema: JsonObject;
	readonly tags: readonly JsonObject[];
	readonly notify: JsonObject;
}

/** A runner type, as it is kept. */
export interface RunnerTypeEntity {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	/** Set by operators; registration never changes it. */
	readonly enabled: boolean;
	readonly runner_module: string;
	readonly output_key: string | null;
	readonly runner_parameters: ParameterSchema;
}

/** A token, as it is kept: its hash only. */
export interface TokenEntity {
	readonly id: string;
	/** SHA-256 of the token, hex; the token itself is kept nowhere. */
	readonly token_hash: string;
	readonly user: string;
	readonly expiry: string;
	/** Whether it was made for a running action rather than for a person. */
	readonly service: boolean;
	readonly created_at: string;
	readonly metadata: JsonObject;
}

/** A user who has signed in, as it is kept. */
export interface UserEntity {
	readonly id: string;
	readonly name: string;
	readonly is_service: boolean;
	readonly created_at: string;
	readonly nicknames: JsonObject;
}

/** A credential that does not expire by itself. It carries the permissions of its user, narrowed by its scopes. */
export interface ApiKeyEntity {
	readonly id: string;
	/** Salted SHA-512 of the key, hex; the same on every instance, so that exported keys can be loaded elsewhere. */
	readonly key_hash: string;
	readonly user: string;
	readonly enabled: boolean;
	readonly created_at: string;
	/** Kept to the minute. */
	readonly last_used_at: string | null;
	readonly expires_at: string | null;
	readonly metadata: JsonObject;
	/** `webhook:<url>` and permission types; null: everything the user may do. */
	readonly scopes: readonly string[] | null;
}

/** A role that a user has because of a group in the site's directory. Those of the configuration are not stored. */
export interface RoleAssignmentEntity {
	readonly id: string;
	readonly user: string;
	readonly role: string;
	readonly description: string;
	/** The group it comes from. */
	readonly source: string;
}

/** Failed sign-ins of one user from one address, or of one address, so that they slow down on every node. */
export interface SignInFailureEntity {
	readonly id: string;
	/** What is counted, hashed. */
	readonly subject: string;
	readonly failures: number;
	readonly last_failure_at: string;
	/** No attempt is looked at before this time. */
	readonly blocked_until: string;
}

/** That a user has signed in from an address. */
export interface SignInPlaceEntity {
	readonly id: string;
	/** User and address, hashed. */
	readonly subject: string;
	/** Of late; not of each time. */
	readonly signed_in_at: string;
}
