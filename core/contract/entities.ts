import type { JsonObject, JsonValue } from "./json.ts";
import type { ParameterSchema } from "./parameters.ts";
import type { OutputType } from "./runner.ts";

/**
 * What a storage keeps. A new kind is an interface, a line in `EntityMap` and an entry in `entityKinds`; storage plugins take
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
}

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
	/** Id of the `snapshot` with action and runner type as they were at creation. */
	readonly snapshot_id: string;
	readonly result_size: number | null;
	readonly log: readonly { readonly status: ExecutionStatus; readonly timestamp: string }[];
	readonly context: JsonObject;
	readonly notify: JsonObject | null;
	readonly callback: JsonObject | null;
	readonly runner_info: JsonObject | null;
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

export interface OutputChunkEntity {
	readonly id: string;
	readonly execution_id: string;
	/** From 1 without gaps within one execution, over all output types. */
	readonly sequence: number;
	readonly output_type: OutputType;
	readonly timestamp: string;
	readonly data: string;
}

export interface TraceEntity {
	readonly id: string;
	readonly trace_tag: string;
	readonly start_timestamp: string;
}

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

/** How a field is stored: `json` fields cannot be asked for or sorted by. */
export type FieldType = "text" | "integer" | "real" | "boolean" | "json";

export interface EntityKindDefinition<E> {
	/** Every field in column order; large ones last, so that reading the others stays cheap. */
	readonly fields: { readonly [F in keyof E]-?: FieldType };
	/** Combinations that no two entities may share, besides `id`. */
	readonly unique?: readonly (readonly (keyof E & string)[])[];
	/** Combinations that lists filter and sort by. */
	readonly indexes?: readonly (readonly (keyof E & string)[])[];
	/**
	 * More of them, by a field that is null in most entities: those in which it is null need no place in the index, which keeps
	 * writes cheap. Conditions that ask for null there must be served by other combinations.
	 */
	readonly sparseIndexes?: { readonly [F in keyof E & string]?: readonly (readonly (keyof E & string)[])[] };
	/** Writes need not be durable by themselves (see `Storage`). Default false. */
	readonly relaxed?: boolean;
}

/** Shape of every kind, as data for storage plugins. */
export const entityKinds: { readonly [K in EntityKind]: EntityKindDefinition<EntityMap[K]> } = {
	execution: {
		fields: {
			id: "text",
			liveaction_id: "text",
			status: "text",
			action_ref: "text",
			runner_name: "text",
			user: "text",
			parent_id: "text",
			trace_id: "text",
			rule_name: "text",
			trigger_name: "text",
			trigger_type_name: "text",
			trigger_instance_id: "text",
			start_timestamp: "text",
			end_timestamp: "text",
			elapsed_seconds: "real",
			due_timestamp: "text",
			delay: "integer",
			attempt: "integer",
			owner: "text",
			fence: "text",
			lease_expires_at: "text",
			snapshot_id: "text",
			result_size: "integer",
			log: "json",
			context: "json",
			notify: "json",
			callback: "json",
			runner_info: "json",
			parameters: "json",
			result: "json",
		},
		unique: [["liveaction_id"]],
		indexes: [
			// With the parent, so that those without one are listed and counted without reading the entities.
			["start_timestamp", "parent_id"],
			["status", "start_timestamp"],
			["status", "due_timestamp"],
			["action_ref", "start_timestamp"],
			["runner_name", "start_timestamp"],
			["user", "start_timestamp"],
			["trace_id"],
		],
		sparseIndexes: {
			lease_expires_at: [["status", "lease_expires_at"]],
			parent_id: [["parent_id", "start_timestamp"]],
			rule_name: [["rule_name", "start_timestamp"]],
			trigger_name: [["trigger_name", "start_timestamp"]],
			trigger_type_name: [["trigger_type_name", "start_timestamp"]],
			trigger_instance_id: [["trigger_instance_id"]],
		},
	},
	snapshot: { fields: { id: "text", action: "json", runner: "json" } },
	output_chunk: {
		fields: { id: "text", execution_id: "text", sequence: "integer", output_type: "text", timestamp: "text", data: "text" },
		unique: [["execution_id", "sequence"]],
		indexes: [["timestamp"]],
		relaxed: true,
	},
	trace: {
		fields: { id: "text", trace_tag: "text", start_timestamp: "text" },
		indexes: [["trace_tag", "start_timestamp"], ["start_timestamp"]],
	},
	pack: {
		fields: {
			id: "text",
			ref: "text",
			name: "text",
			description: "text",
			version: "text",
			author: "text",
			path: "text",
			metadata: "json",
		},
		unique: [["ref"]],
		indexes: [["name"]],
	},
	action: {
		fields: {
			id: "text",
			ref: "text",
			pack: "text",
			name: "text",
			description: "text",
			runner_type: "text",
			entry_point: "text",
			enabled: "boolean",
			metadata_file: "text",
			parameters: "json",
			output_schema: "json",
			tags: "json",
			notify: "json",
		},
		unique: [["ref"]],
		indexes: [["pack", "name"], ["name"]],
	},
	runner_type: {
		fields: {
			id: "text",
			name: "text",
			description: "text",
			enabled: "boolean",
			runner_module: "text",
			output_key: "text",
			runner_parameters: "json",
		},
		unique: [["name"]],
	},
	token: {
		fields: { id: "text", token_hash: "text", user: "text", expiry: "text", service: "boolean", created_at: "text", metadata: "json" },
		unique: [["token_hash"]],
		indexes: [["expiry"], ["user"]],
	},
	user: {
		fields: { id: "text", name: "text", is_service: "boolean", created_at: "text", nicknames: "json" },
		unique: [["name"]],
	},
	api_key: {
		fields: {
			id: "text",
			key_hash: "text",
			user: "text",
			enabled: "boolean",
			created_at: "text",
			last_used_at: "text",
			expires_at: "text",
			metadata: "json",
			scopes: "json",
		},
		unique: [["key_hash"]],
		indexes: [["user"]],
	},
	role_assignment: {
		fields: { id: "text", user: "text", role: "text", description: "text", source: "text" },
		unique: [["user", "role", "source"]],
	},
	sign_in_failure: {
		fields: { id: "text", subject: "text", failures: "integer", last_failure_at: "text", blocked_until: "text" },
		unique: [["subject"]],
		indexes: [["last_failure_at"]],
	},
};

/** Any JSON value an entity field may hold; what storage plugins serialise. */
export type FieldValue = JsonValue | undefined;
