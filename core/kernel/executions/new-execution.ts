import type { ExecutionEntity } from "../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../basics/clock.ts";
import { createId } from "../basics/ids.ts";

/** Fields of a new execution that the caller of `newExecution` sets, such as the action, the user and the parent. */
export type NewExecutionFields = Omit<ExecutionEntity, keyof ReturnType<typeof toInitialFields>>;

/**
 * Returns a new execution, which the caller must store. Fields outside `NewExecutionFields` get initial values, even if `request` is an
 * earlier execution.
 */
export function newExecution(clock: EngineClock, request: NewExecutionFields, id: string): ExecutionEntity {
	return withExecutionFields(request as ExecutionEntity, toInitialFields(clock, id, request.delay));
}

/** Returns the values that every new execution has. `delay`: milliseconds to wait before the run starts; null: no wait. */
function toInitialFields(clock: EngineClock, id: string, delay: number | null) {
	const timestamp = toTimestamp(clock.now());
	return {
		id,
		liveaction_id: createId(clock),
		status: "requested",
		start_timestamp: timestamp,
		end_timestamp: null,
		elapsed_seconds: null,
		due_timestamp: toTimestamp(clock.steady() + (delay ?? 0) * 1_000),
		attempt: 0,
		owner: null,
		fence: null,
		lease_expires_at: null,
		log: [{ status: "requested", timestamp }],
		runner_info: null,
		run_state: null,
		stirred: null,
		followed_by: null,
		token_hash: null,
		result: null,
		result_size: null,
	} as const;
}

/**
 * Returns a copy of an execution with some values replaced. Members are listed one by one: V8 (Node 20) gives a spread copy another layout
 * than its source, so copies of copies would all have different ones. Reading their members would then be as slow as a lookup in a map.
 */
export function withExecutionFields(execution: ExecutionEntity, values: Partial<ExecutionEntity>): ExecutionEntity {
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

/** Inserts new executions, all or none, each in the state that it has reached: requested, scheduled, running or final. */
export type InsertAdmitted = (admitted: readonly ExecutionEntity[]) => Promise<void>;

/** Schedules a new execution. `store` inserts it, in the state that it has reached: requested, scheduled, running or final. */
export type Admit = (execution: ExecutionEntity, store: (entity: ExecutionEntity) => Promise<void>) => Promise<void>;
