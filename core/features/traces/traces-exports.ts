import type { TraceEntity } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";

/** Cause of a component in a trace. For an execution that a rule started, the id is `<rule id>:<trigger instance id>`. */
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
	/** Time when the component was added to the trace. */
	readonly updated_at: string;
	/** Cause of the component; undefined if it originated outside of the service. */
	readonly caused_by: TraceCause | undefined;
}

/** A trigger instance as a component. */
export interface InstanceComponent extends TraceComponent {
	readonly trigger_type: string;
}

/** A trace with its components: the earliest 10,000 of each kind, or the earliest 1,000 in a list of several traces. */
export interface TraceView {
	readonly trace: TraceEntity;
	readonly executions: readonly TraceComponent[];
	readonly rules: readonly TraceComponent[];
	readonly instances: readonly InstanceComponent[];
}

/** Filter for a list of traces. */
export interface TraceFilter {
	readonly id?: string | readonly string[];
	readonly trace_tag?: string;
	/** Id of an execution that the trace must contain. `rule` and `trigger_instance` contain ids in the same way. */
	readonly execution?: string;
	readonly rule?: string;
	readonly trigger_instance?: string;
}

/** Functions of other features that traces need. */
export interface TracesDependencies {
	readonly enforcements: {
		/** Returns the ids of traces with enforcements of a rule, starting with its newest enforcements. */
		tracesOf(ruleId: string, limit: number): Promise<readonly string[]>;
	};
}

/** Access to the traces of a service. */
export interface Traces {
	/** Returns traces, by default sorted with the newest first, then by tag. */
	list(
		filter: TraceFilter,
		paging: Paging & {
			readonly orderBy?: readonly (readonly [keyof TraceEntity, "asc" | "desc"])[];
			/** False to return the traces without their components. Default: true. */
			readonly components?: boolean;
		},
	): Promise<Page<TraceView>>;
	/** Returns a trace. Throws `SVC_NOT_FOUND` if it does not exist. */
	get(id: string): Promise<TraceView>;
}
