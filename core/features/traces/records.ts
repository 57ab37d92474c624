import { toDigest, type WireRecord } from "../../http/wire-record.ts";
import type { TraceComponent, TraceView } from "./traces-api.ts";

export function toTrace({ trace, executions, rules, instances }: TraceView): WireRecord {
	return {
		id: trace.id,
		uid: `trace:${toDigest(trace.id)}`,
		trace_tag: trace.trace_tag,
		start_timestamp: trace.start_timestamp,
		action_executions: executions.map(toComponent),
		rules: rules.map(toComponent),
		trigger_instances: instances.map(toComponent),
	};
}

function toComponent({ caused_by, ...component }: TraceComponent): WireRecord {
	return { ...component, caused_by: caused_by ?? {} };
}
