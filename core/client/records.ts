import type { ExecutionStatus, JsonObject, JsonValue, OutputType, ParameterSchema } from "../contract/index.ts";

// Records as the HTTP API sends them (docs/reference/http-api.md). Empty members of an execution are left out on the wire.

/** An execution as the API shows it. */
export interface ExecutionRecord {
	readonly id: string;
	readonly status: ExecutionStatus;
	readonly start_timestamp: string;
	readonly end_timestamp?: string;
	readonly elapsed_seconds?: number;
	readonly log: readonly { readonly status: ExecutionStatus; readonly timestamp: string }[];
	readonly parameters?: JsonObject;
	readonly result?: JsonObject;
	readonly result_size?: number;
	readonly context: JsonObject;
	readonly action: ActionRecord;
	readonly runner: RunnerTypeRecord;
	readonly liveaction: JsonObject;
	readonly web_url: string;
	readonly parent?: string;
	readonly children?: readonly string[];
	readonly delay?: number;
}

/** An action as the API shows it. */
export interface ActionRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly pack: string;
	readonly name: string;
	readonly description: string;
	readonly runner_type: string;
	readonly entry_point: string;
	readonly enabled: boolean;
	readonly parameters: ParameterSchema;
	readonly output_schema?: JsonObject;
	readonly tags: readonly JsonObject[];
	readonly notify: JsonObject;
}

/** A runner type as the API shows it. */
export interface RunnerTypeRecord {
	readonly id: string;
	readonly uid: string;
	readonly name: string;
	readonly description: string;
	readonly enabled: boolean;
	readonly runner_module: string;
	readonly runner_parameters: ParameterSchema;
}

/** A token, shown once. */
export interface TokenRecord {
	readonly id: string;
	readonly user: string;
	readonly token: string;
	readonly expiry: string;
	readonly metadata: JsonObject;
	readonly service: boolean;
}

/** Who a credential belongs to. */
export interface UserRecord {
	readonly username: string;
	readonly authentication: { readonly method: string; readonly location?: string; readonly token_expire?: string };
	readonly rbac: { readonly enabled: boolean; readonly roles: readonly string[]; readonly is_admin?: boolean };
}

/** An API key without the key. `uid` and `key_hash` are masked unless an administrator asks for secrets. */
export interface ApiKeyRecord {
	readonly id: string;
	readonly uid: string;
	readonly user: string;
	readonly key_hash: string;
	readonly metadata: JsonObject;
	readonly created_at: string;
	readonly enabled: boolean;
	readonly last_used_at: string | null;
	readonly expires_at: string | null;
	readonly scopes: readonly string[] | null;
}

/** The answer to a new key: the only time that the key is shown. Null when a key was loaded by its hash. */
export type NewApiKeyRecord = Omit<ApiKeyRecord, "key_hash"> & { readonly key: string | null };

/** What may be said of a key. With `key_hash` it is one from another instance. */
export type ApiKeyInput = { readonly [F in keyof ApiKeyRecord]?: ApiKeyRecord[F] | undefined };

/** A role as the API shows it. */
export interface RoleRecord {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	readonly system: boolean;
	readonly permission_grant_objects: readonly {
		readonly id: string;
		readonly resource_uid: string | null;
		readonly resource_type: string | null;
		readonly permission_types: readonly string[];
	}[];
}

/** Who has a role. */
export interface RoleAssignmentRecord {
	readonly id: string;
	readonly user: string;
	readonly role: string;
	readonly description: string;
	readonly is_remote: boolean;
	readonly source: string;
}

/** A piece of output. `event_id` resumes the stream behind this chunk. */
export interface OutputChunkRecord {
	readonly id: string;
	readonly execution_id: string;
	readonly action_ref: string;
	readonly runner_ref: string;
	readonly output_type: OutputType;
	readonly data: string;
	readonly timestamp: string;
	readonly event_id: string;
}

/** What is to be run. */
export interface ExecutionInput {
	/** `<pack>.<action>`. */
	readonly action: string;
	readonly parameters?: JsonObject;
	readonly user?: string | null;
	/** `trace_context: { trace_tag }` or `{ id_ }` chooses the trace. */
	readonly context?: JsonObject;
	readonly notify?: JsonObject;
	readonly callback?: JsonObject;
	/** Milliseconds before it is scheduled. */
	readonly delay?: number;
}

/** What to change when an execution is run again. */
export interface RerunRequest {
	/** Laid over the parameters of the first run. */
	readonly parameters?: JsonObject;
	readonly user?: string;
	readonly delay?: number;
}

/** Query of a list, in the words of the API: `limit`, `offset`, `sort`, filters. Undefined members are not sent. */
export type ListQuery = Readonly<Record<string, string | number | boolean | undefined>>;

/** A part of a list, and how much there is. */
export interface ListPage<T> {
	readonly items: readonly T[];
	/** Records that match, paging ignored; undefined when the service does not tell. */
	readonly total: number | undefined;
	readonly limit: number | undefined;
}

/** An event of the general stream. */
export interface StreamEventRecord {
	readonly name: string;
	readonly data: JsonValue;
}
