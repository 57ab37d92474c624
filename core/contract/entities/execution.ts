import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

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

/** The user who changed an execution from outside, or answered its question. */
export interface ExecutionActor {
	readonly user: string;
	/** Kind and id of the request's credential, such as `token:<id>`; null if no credential was needed. */
	readonly credential: string | null;
	/** The reason that the user gave; null if none was given. */
	readonly reason: string | null;
}

/** A state that an execution has reached. */
export interface ExecutionLogEntry {
	readonly status: ExecutionStatus;
	readonly timestamp: string;
	/** Absent if the service itself set the state. */
	readonly by?: ExecutionActor;
}

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
	/** Id of the `rule_snapshot` with the rule and its trigger as they were when it acted; null when no rule did. */
	readonly rule_snapshot_id: string | null;
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
	readonly log: readonly ExecutionLogEntry[];
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
	/**
	 * Id of the execution whose chosen tasks this one runs again; null: none. Only the service writes it, so that nobody reads another's results by
	 * what a request says.
	 */
	readonly takes_up: string | null;
	/**
	 * SHA-256 of the token of its run, hex, from the begin of the run to its end; null: there is none. The token itself is kept nowhere.
	 * Shown nowhere.
	 */
	readonly token_hash: string | null;
	/** Another text each time that a child has stopped waiting: whoever pauses the execution must have seen all of them. Null: never. */
	readonly stirred: string | null;
	/** Id of the execution that makes good how this one has ended, as a policy has it run again; stored with the end. Null: none. Shown nowhere. */
	readonly followed_by: string | null;
	/** As given by the caller (rendered, cast), with real values of secrets. */
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
		// Last, as later migrations added them.
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
		// With the parent, so that those without one are listed and counted without reading the entities.
		["start_timestamp", "parent_id"],
		// With queue and delay, so that what waits for neither is found without reading all that does.
		["status", "start_timestamp", "parent_id", "queue", "delay"],
		["action_ref", "start_timestamp", "parent_id"],
		// What failed of one action, or of one user, is most often asked for together.
		["action_ref", "status", "start_timestamp", "parent_id"],
		["runner_name", "start_timestamp", "parent_id"],
		["user", "start_timestamp", "parent_id"],
		["user", "status", "start_timestamp", "parent_id"],
		// With those that no rule has started: lists ask for them too, and they may be few.
		["rule_name", "start_timestamp", "parent_id"],
		["trace_id"],
	],
	sparseIndexes: {
		// Few wait for a time, and nobody looks for them among all that has ever waited.
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
