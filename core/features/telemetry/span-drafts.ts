import {
	type ExecutionEntity,
	isJsonObject,
	type RuleEnforcementEntity,
	type Span,
	type TriggerInstanceEntity,
} from "../../contract/index.ts";
import { fromTimestamp } from "../../kernel/basics/clock.ts";
import { toHexId } from "./trace-contexts.ts";

/** A span before it is known where its trace stands. */
export interface SpanDraft extends Pick<Span, "span_id" | "name" | "start" | "end" | "attributes" | "failure"> {
	/** Id of the trace of the service. */
	readonly trace: string;
	readonly parent: string | undefined;
	/** Id of the execution that is the parent if it is in the same trace: an event may have begun one of its own. */
	readonly cause?: string | undefined;
}

/** The span of an execution is known by its id, before it has ended. */
export function toExecutionSpanId(id: string): string {
	return toHexId("execution", id, 16);
}

/** An execution that has ended. Its parameters and its result are left out: they may be secret. */
export function draftExecutionSpan(execution: ExecutionEntity): SpanDraft {
	const { id, trace_id: trace, action_ref, runner_name, status, start_timestamp, end_timestamp } = execution;
	return {
		trace,
		span_id: toExecutionSpanId(id),
		parent: findParent(execution),
		name: action_ref,
		start: fromTimestamp(start_timestamp),
		end: fromTimestamp(end_timestamp ?? start_timestamp),
		attributes: {
			"svc.kind": "execution",
			"svc.execution.id": id,
			"svc.trace.id": trace,
			"svc.action": action_ref,
			"svc.runner": runner_name,
			"svc.status": status,
		},
		failure: status === "succeeded" ? undefined : status,
	};
}

/** What a rule did about an event. */
export function draftEnforcementSpan(enforcement: RuleEnforcementEntity): SpanDraft {
	const { id, trace_id: trace, rule_id, rule_ref, trigger_instance_id, enforced_at, status } = enforcement;
	const at = fromTimestamp(enforced_at);
	return {
		trace,
		span_id: toRuleSpanId(rule_id, trigger_instance_id),
		parent: toInstanceSpanId(trigger_instance_id),
		name: rule_ref,
		start: at,
		end: at,
		attributes: {
			"svc.kind": "rule",
			"svc.enforcement.id": id,
			"svc.trace.id": trace,
			"svc.rule": rule_ref,
			"svc.rule.id": rule_id,
			"svc.trigger_instance.id": trigger_instance_id,
			"svc.status": status,
		},
		failure: status === "failed" ? status : undefined,
	};
}

/** An event that has been looked at by `end`, in microseconds. */
export function draftInstanceSpan(
	{ id, trace_id: trace, trigger, occurrence_time, caused_by_id }: TriggerInstanceEntity,
	end: number,
): SpanDraft {
	const start = fromTimestamp(occurrence_time);
	return {
		trace,
		span_id: toInstanceSpanId(id),
		parent: undefined,
		...(caused_by_id !== null && { cause: caused_by_id }),
		name: trigger,
		start,
		end: Math.max(start, end),
		attributes: { "svc.kind": "trigger_instance", "svc.trigger_instance.id": id, "svc.trace.id": trace, "svc.trigger": trigger },
		failure: undefined,
	};
}

/** As the traces of the API have it: its parent, else the rule that started it. */
function findParent({ parent_id, trigger_instance_id, context }: ExecutionEntity): string | undefined {
	if (parent_id !== null) return toExecutionSpanId(parent_id);
	const { rule } = context;
	if (trigger_instance_id === null || !isJsonObject(rule)) return undefined;
	return toRuleSpanId(String(rule["id"]), trigger_instance_id);
}

function toRuleSpanId(rule: string, instance: string): string {
	return toHexId("rule", `${rule}:${instance}`, 16);
}

function toInstanceSpanId(id: string): string {
	return toHexId("trigger_instance", id, 16);
}
