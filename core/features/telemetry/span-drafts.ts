import {
	type ExecutionEntity,
	isJsonObject,
	type RuleEnforcementEntity,
	type Span,
	type TriggerInstanceEntity,
} from "../../contract/index.ts";
import { fromTimestamp } from "../../kernel/basics/clock.ts";
import { toHexId } from "./trace-context-cache.ts";

/** A span whose trace context has not been determined. */
export interface SpanDraft extends Pick<Span, "span_id" | "name" | "start" | "end" | "attributes" | "failure"> {
	/** Id of the `trace` record. Its trace context determines the trace id of the recorded span. */
	readonly trace: string;
	readonly parent: string | undefined;
	/**
	 * Id of the execution that caused the event. That execution is the parent only if it is in the same trace, because an event may start a
	 * new one.
	 */
	readonly cause?: string | undefined;
}

/** Returns the span id of an execution. It depends only on the execution id, so it is available before the execution ends. */
export function toExecutionSpanId(id: string): string {
	return toHexId("execution", id, 16);
}

/** Returns the span of an ended execution. Omits parameters and result, because they may be secret. */
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

/** Returns the span of the enforcement of a rule. */
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

/** Returns the span of an event whose processing ended at `end`, in microseconds. */
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

/** Returns the span id of the parent execution, or else of the rule that started the execution. Traces in the API show the same causes. */
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
