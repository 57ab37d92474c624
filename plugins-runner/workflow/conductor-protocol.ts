import type { ChildRequest, ExecutionStatus, JsonObject, JsonValue, TaskState } from "../../core/contract/index.ts";

/** Event to which a workflow reacts. */
export type WorkflowEvent =
	/** The workflow begins. `parameters` are the resolved parameters of its action. */
	| { readonly type: "begin"; readonly parameters: JsonObject; readonly system: JsonObject }
	/** A child has another status; `id` is the id of its execution. Repeated and late events are harmless. */
	| { readonly type: "child"; readonly key: string; readonly id: string; readonly status: ExecutionStatus }
	/** A requested child cannot be started. */
	| { readonly type: "refused"; readonly key: string; readonly message: string }
	| { readonly type: "pause" }
	/**
	 * The run continues after a pause (`isResumed`), or after a recovery by another process. Events with the current status of all children
	 * follow. After a pause, `isAsked` is true (default) if a resume was requested: all paused children are then resumed as well. If it is
	 * false, only a child was resumed.
	 */
	| { readonly type: "continue"; readonly isResumed: boolean; readonly isAsked?: boolean }
	| { readonly type: "cancel" }
	/** The timeout of the workflow itself has expired. */
	| { readonly type: "timeout" }
	/** The time that `nextWake` returned is reached. */
	| { readonly type: "wake" };

/** Decisions after events. The entry must be stored before the caller carries out the rest of the step, or together with it. */
export interface Step {
	/** Decided facts for the journal; undefined if nothing was decided. */
	readonly entry: JsonObject | undefined;
	/** Children to start. */
	readonly start: readonly ChildRequest[];
	/** Keys of children to cancel, to pause and to resume. */
	readonly cancel: readonly string[];
	readonly pause: readonly string[];
	readonly resume: readonly string[];
	/** Request to pause or cancel the workflow's own execution. */
	readonly request: "pause" | "cancel" | undefined;
	/** Tasks whose status has changed. */
	readonly tasks: readonly TaskState[];
	/** Lines for the output of the execution: one each time a task starts, ends or is tried again. */
	readonly lines: readonly string[];
	/** End or pause of the workflow; undefined while it is active. */
	readonly end: WorkflowEnd | undefined;
}

export interface WorkflowEnd {
	/** `resuming`: the reason for the pause is already over, so the workflow continues at once. */
	readonly status: "succeeded" | "failed" | "timeout" | "canceled" | "paused" | "resuming";
	readonly result: { readonly output: JsonValue; readonly errors?: readonly JsonObject[] };
}
