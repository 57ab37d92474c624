import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/**
 * Status of an execution (docs/execution-lifecycle.md). The statuses `succeeded`, `failed`, `timeout`, `abandoned` and `canceled` are
 * final.
 *
 * - `requested`: the execution is stored.
 * - `scheduled`: a node has claimed the execution.
 * - `delayed`: the execution waits until its `delay` has passed or a policy admits it.
 * - `running`: the runner works.
 * - `succeeded`: the action succeeded.
 * - `failed`: the action failed, or the runner could not do its work.
 * - `timeout`: the time-out has passed, and the work was ended.
 * - `abandoned`: the service stopped or crashed during the run.
 * - `canceling`: the end was requested, and the work is being ended.
 * - `canceled`: the execution ended because a user or policy requested it.
 * - `pending`: the execution waits for the answer to an inquiry.
 * - `pausing`: a workflow that starts nothing new and waits for its active tasks.
 * - `paused`: a workflow without active tasks; no node holds it.
 * - `resuming`: a paused workflow that a node will continue.
 */
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

/** The user who changed an execution from outside, or answered its inquiry. */
export interface ExecutionActor {
	readonly user: string;
	/** Kind and id of the request's credential, such as `token:<id>`. Null if no credential was required. */
	readonly credential: string | null;
	/** The reason that the user gave. Null if the user gave none. */
	readonly reason: string | null;
}

/** A status that an execution has reached. */
export interface ExecutionLogEntry {
	readonly status: ExecutionStatus;
	readonly timestamp: string;
	/** The user who set the status. Absent if the service itself set it. */
	readonly by?: ExecutionActor;
}

/** One run of an action. Execution and live action of the specification are one record with both ids. */
export interface ExecutionEntity {
	readonly id: string;
	readonly liveaction_id: string;
	readonly status: ExecutionStatus;
	readonly action_ref: string;
	readonly runner_name: string;
	readonly user: string;
	/**
	 * The author of the rule that started the execution. Templates are evaluated with the permissions of the author instead of `user`.
	 * Null: with those of `user`.
	 */
	readonly author: string | null;
	/**
	 * Scopes that restrict the token of the run: those of the API key that started the execution. Null: all permissions of the user.
	 */
	readonly scopes: readonly string[] | null;
	readonly parent_id: string | null;
	readonly trace_id: string;
	readonly rule_name: string | null;
	readonly trigger_name: string | null;
	readonly trigger_type_name: string | null;
	readonly trigger_instance_id: string | null;
	/**
	 * Id of the `rule_snapshot` with the rule and its trigger at the time when the rule acted. Null if no rule started the execution.
	 */
	readonly rule_snapshot_id: string | null;
	readonly start_timestamp: string;
	readonly end_timestamp: string | null;
	readonly elapsed_seconds: number | null;
	/** Earliest time at which the run may start: the time of the request plus `delay`, by the steady clock. */
	readonly due_timestamp: string;
	/** Requested delay of the start in milliseconds. Null if no delay was requested. */
	readonly delay: number | null;
	/** Number of times that the run was started: 0 before the first start. */
	readonly attempt: number;
	/** Node that holds the lease. Null if no node holds it. */
	readonly owner: string | null;
	/** Fencing token, which changes with each claim. Every write about the run carries it, and a write with an old value is refused. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/**
	 * Ref of the action whose concurrency policies decide about the start. Null if no policy applies, or if the execution has been
	 * admitted.
	 */
	readonly queue: string | null;
	/** Id of the `snapshot` with action and runner type at the time of the request. */
	readonly snapshot_id: string;
	readonly result_size: number | null;
	readonly log: readonly ExecutionLogEntry[];
	readonly context: JsonObject;
	readonly notify: JsonObject | null;
	readonly callback: JsonObject | null;
	readonly runner_info: JsonObject | null;
	/** State that the runner needs to reattach to the run (`saveState`). Null if it cannot reattach. Never shown. */
	readonly run_state: JsonObject | null;
	/**
	 * Secrets other than those in the execution's own parameters, encrypted. Null if there are none.
	 *
	 * They are masked wherever the execution is shown. The field itself is never shown.
	 */
	readonly known_secrets: string | null;
	/**
	 * Id of the execution that this one partially re-runs. Null if there is none.
	 *
	 * Only the service writes it: otherwise a request could read results of another execution.
	 */
	readonly takes_up: string | null;
	/**
	 * SHA-256 of the token of the run in hex, from the start to the end of the run. Null if there is no token. Never shown.
	 *
	 * The token itself is never stored.
	 */
	readonly token_hash: string | null;
	/**
	 * Random value that is renewed whenever a child leaves a waiting state. Null if that has never happened.
	 *
	 * A write that pauses the execution expects the value that it has read before it checked the children. Otherwise an update of a
	 * child could be lost, and the execution would stay paused.
	 */
	readonly stirred: string | null;
	/** Id of the execution with which a policy re-runs this one, stored with the end. Null if there is none. Never shown. */
	readonly followed_by: string | null;
	/** Parameters of the caller, rendered and cast, with unmasked secrets. */
	readonly parameters: JsonObject;
	readonly result: JsonObject | null;
}

export const executionKind: EntityKindDefinition<ExecutionEntity> = {
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
		// These columns are last, because later migrations added them.
		run_state: "json",
		queue: "text",
		author: "text",
		scopes: "json",
		known_secrets: "text",
		rule_snapshot_id: "text",
		takes_up: "text",
		stirred: "text",
		followed_by: "text",
		token_hash: "text",
	},
	unique: [["liveaction_id"]],
	indexes: [
		// Ends with `parent_id`, so that executions without a parent are listed and counted from the index, without reading the rows.
		["start_timestamp", "parent_id"],
		// Ends with `queue` and `delay`, so that executions that may start at once are found without reading those that must wait.
		["status", "start_timestamp", "parent_id", "queue", "delay"],
		["action_ref", "start_timestamp", "parent_id"],
		// Failures of one action or of one user are the most frequent combination.
		["action_ref", "status", "start_timestamp", "parent_id"],
		["runner_name", "start_timestamp", "parent_id"],
		["user", "start_timestamp", "parent_id"],
		["user", "status", "start_timestamp", "parent_id"],
		// Not sparse: lists also select executions without a rule, which may be few.
		["rule_name", "start_timestamp", "parent_id"],
		["trace_id"],
	],
	sparseIndexes: {
		// Few executions ever have a delay. A full index would contain all executions.
		delay: [
			["status", "due_timestamp"],
			["status", "queue", "due_timestamp"],
		],
		lease_expires_at: [["status", "lease_expires_at"]],
		parent_id: [["parent_id", "start_timestamp"]],
		trigger_name: [["trigger_name", "start_timestamp", "parent_id"]],
		trigger_type_name: [["trigger_type_name", "start_timestamp", "parent_id"]],
		trigger_instance_id: [["trigger_instance_id"]],
		queue: [["queue", "due_timestamp"]],
	},
	oftenNull: ["rule_name"],
	timeline: "start_timestamp",
	shareable: true,
};
