import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";

/** An execution, a rule enforcement or a trigger instance in a trace. */
export interface TraceComponentRecord {
	readonly object_id: string;
	readonly ref: string;
	/** What the trigger of a trigger instance is now. Absent for callers without the permission to view the trigger's parameters. */
	readonly title?: string;
	readonly updated_at: string;
	/** Cause of the component; empty if it originated outside of the service. */
	readonly caused_by: { readonly type?: "trigger_instance" | "rule" | "action_execution"; readonly id?: string };
}

/** A trace as the API returns it. */
export interface TraceRecord {
	readonly id: string;
	readonly uid: string;
	readonly trace_tag: string;
	readonly start_timestamp: string;
	readonly action_executions: readonly TraceComponentRecord[];
	readonly rules: readonly TraceComponentRecord[];
	readonly trigger_instances: readonly TraceComponentRecord[];
}

/** Client for the traces of a service. */
export interface TraceClient {
	list(query?: ListQuery): Promise<ListPage<TraceRecord>>;
	get(id: string): Promise<TraceRecord>;
}

export function createTraceClient({ read, list }: ApiClient): TraceClient {
	return {
		list: (query) => list("/traces", query),
		get: (id) => read(`/traces/${encodeURIComponent(id)}`),
	};
}
