import type { TraceEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";

/** Why something is in a trace; for an execution that a rule started the id is `<rule id>:<trigger instance id>`. */
export interface TraceCause {
	readonly type: "trigger_instance" | "rule" | "action_execution";
	readonly id: string;
}

/** An execution, an enforcement of a rule, or a trigger instance. */
export interface TraceComponent {
	/** Id of the execution, the rule or the trigger instance. */
	readonly object_id: string;
	/** Ref of the action, the rule or the trigger. */
	readonly ref: string;
	/** When it came to the trace. */
	readonly updated_at: string;
	/** Undefined for what came from outside. */
	readonly caused_by: TraceCause | undefined;
}

/** A trace with what belongs to it: of each kind the first 10,000 in the order of time, in lists the first 1,000. */
export interface TraceView {
	readonly trace: TraceEntity;
	readonly executions: readonly TraceComponent[];
	readonly rules: readonly TraceComponent[];
	readonly instances: readonly TraceComponent[];
}

/** Which traces a list holds. */
export interface TraceFilter {
	readonly id?: string | readonly string[];
	readonly trace_tag?: string;
	/** Ids of what must be in the trace. */
	readonly execution?: string;
	readonly rule?: string;
	readonly trigger_instance?: string;
}

/** What traces need of other features. */
export interface TracesNeeds {
	readonly enforcements: {
		/** Ids of traces in which a rule has acted, by its newest enforcements. */
		tracesOf(ruleId: string, limit: number): Promise<readonly string[]>;
	};
}

/** The traces of an engine. */
export interface Traces {
	/** The newest first, then by tag, unless told otherwise. */
	list(
		filter: TraceFilter,
		paging: Paging & {
			readonly orderBy?: readonly (readonly [keyof TraceEntity, "asc" | "desc"])[];
			/** Whether what belongs to the traces is read. Default true. */
			readonly components?: boolean;
		},
	): Promise<Page<TraceView>>;
	/** `SVC_NOT_FOUND`. */
	get(id: string): Promise<TraceView>;
}
