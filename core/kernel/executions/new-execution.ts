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
	// Each by its name: to add members behind a spread costs a microsecond and more for each of them, which is most of an execution's making.
	return {
		id,
		action_ref: asked.action_ref,
		runner_name: asked.runner_name,
		snapshot_id: asked.snapshot_id,
		parameters: asked.parameters,
		user: asked.user,
		author: asked.author,
		scopes: asked.scopes,
		context: asked.context,
		parent_id: asked.parent_id,
		trace_id: asked.trace_id,
		rule_name: asked.rule_name,
		trigger_name: asked.trigger_name,
		trigger_type_name: asked.trigger_type_name,
		trigger_instance_id: asked.trigger_instance_id,
		rule_snapshot_id: asked.rule_snapshot_id,
		notify: asked.notify,
		callback: asked.callback,
		known_secrets: asked.known_secrets,
		takes_up: asked.takes_up,
		delay: asked.delay,
		queue: asked.queue,
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
		token_hash: null,
		result: null,
		result_size: null,
	};
}

/**
 * The execution with other values. Each member by its name here, too, in the same order: V8 of Node 20 gives what is spread another layout than what
 * it is spread from, so that copies of copies have one each, and whoever reads them finds their members as slowly as in a map.
 */
export function withValues(execution: ExecutionEntity, values: Partial<ExecutionEntity>): ExecutionEntity {
	const copy: ExecutionEntity = {
		id: execution.id,
		action_ref: execution.action_ref,
		runner_name: execution.runner_name,
		snapshot_id: execution.snapshot_id,
		parameters: execution.parameters,
		user: execution.user,
		author: execution.author,
		scopes: execution.scopes,
		context: execution.context,
		parent_id: execution.parent_id,
		trace_id: execution.trace_id,
		rule_name: execution.rule_name,
		trigger_name: execution.trigger_name,
		trigger_type_name: execution.trigger_type_name,
		trigger_instance_id: execution.trigger_instance_id,
		rule_snapshot_id: execution.rule_snapshot_id,
		notify: execution.notify,
		callback: execution.callback,
		known_secrets: execution.known_secrets,
		takes_up: execution.takes_up,
		delay: execution.delay,
		queue: execution.queue,
		liveaction_id: execution.liveaction_id,
		status: execution.status,
		start_timestamp: execution.start_timestamp,
		end_timestamp: execution.end_timestamp,
		elapsed_seconds: execution.elapsed_seconds,
		due_timestamp: execution.due_timestamp,
		attempt: execution.attempt,
		owner: execution.owner,
		fence: execution.fence,
		lease_expires_at: execution.lease_expires_at,
		log: execution.log,
		runner_info: execution.runner_info,
		run_state: execution.run_state,
		stirred: execution.stirred,
		followed_by: execution.followed_by,
		token_hash: execution.token_hash,
		result: execution.result,
		result_size: execution.result_size,
	};
	return Object.assign(copy, values);
}
