import type { ExecutionEntity, ExecutionStatus } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { createId } from "../basics/ids.ts";

/** What is to be run, for whom and why. */
export type AskedExecution = Pick<
	ExecutionEntity,
	| "action_ref"
	| "runner_name"
	| "snapshot_id"
	| "parameters"
	| "user"
	| "author"
	| "scopes"
	| "context"
	| "parent_id"
	| "trace_id"
	| "rule_name"
	| "trigger_name"
	| "trigger_type_name"
	| "trigger_instance_id"
	| "rule_snapshot_id"
	| "notify"
	| "callback"
	| "known_secrets"
	| "takes_up"
	/** Milliseconds that it waits; null: none. */
	| "delay"
	| "queue"
>;

/** An execution that nobody has stored yet, of a new id unless one is given. All that is not asked for begins anew, also where `asked` is an execution that has ended. */
export function newExecution(clock: EngineClock, asked: AskedExecution, id = createId(clock)): ExecutionEntity {
	const timestamp = toTimestamp(clock.now());
	const status: ExecutionStatus = "requested";
	return {
		...asked,
		id,
		liveaction_id: createId(clock),
		status,
		start_timestamp: timestamp,
		end_timestamp: null,
		elapsed_seconds: null,
		due_timestamp: toTimestamp(clock.steady() + (asked.delay ?? 0) * 1_000),
		attempt: 0,
		owner: null,
		fence: null,
		lease_expires_at: null,
		log: [{ status, timestamp }],
		runner_info: null,
		run_state: null,
		stirred: null,
		followed_by: null,
		result: null,
		result_size: null,
	};
}
