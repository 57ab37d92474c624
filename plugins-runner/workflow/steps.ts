import type { ChildRequest, ExecutionStatus, JsonObject, JsonValue, TaskState } from "../../core/contract/index.ts";

/** Something that has happened and that a workflow reacts to. */
export type WorkflowEvent =
	/** It begins; `parameters` are those of its action, resolved. */
	| { readonly type: "begin"; readonly parameters: JsonObject; readonly system: JsonObject }
	/** A child has another status than before; `id` is its execution's. Told again and late without harm. */
	| { readonly type: "child"; readonly key: string; readonly id: string; readonly status: ExecutionStatus }
	/** A child that was asked for cannot be started. */
	| { readonly type: "refused"; readonly key: string; readonly message: string }
	| { readonly type: "pause" }
	/**
	 * Goes on after a pause, or after having been taken over by another process: `isResumed` tells which. Comes with what all children are like by
	 * now. `isAsked`: somebody has asked for it, so that all that is paused below goes on as well; else a child alone has gone on.
	 */
	| { readonly type: "continue"; readonly isResumed: boolean; readonly isAsked?: boolean }
	| { readonly type: "cancel" }
	/** Time of the workflow itself is over. */
	| { readonly type: "timeout" }
	/** The time has come that `nextWake` told. */
	| { readonly type: "wake" };

/** What is to be done after an event. Its entry must be on disk before, or with, anything else of it. */
export interface Step {
	/** What has been decided, for the journal; undefined: nothing. */
	readonly entry: JsonObject | undefined;
	/** Children to be started. */
	readonly start: readonly ChildRequest[];
	/** Keys of children that are to end, to pause, to go on. */
	readonly cancel: readonly string[];
	readonly pause: readonly string[];
	readonly resume: readonly string[];
	/** Ask for a pause or the end of the workflow's own execution. */
	readonly request: "pause" | "cancel" | undefined;
	/** Tasks whose status has changed. */
	readonly tasks: readonly TaskState[];
	/** For whoever follows the output: a line for each task that has begun or ended. */
	readonly lines: readonly string[];
	/** Nothing is active any more, and nothing will be: what becomes of the workflow. */
	readonly end: WorkflowEnd | undefined;
}

export interface WorkflowEnd {
	/** `resuming`: what it paused for is over by now, it goes on at once. */
	readonly status: "succeeded" | "failed" | "timeout" | "canceled" | "paused" | "resuming";
	readonly result: { readonly output: JsonValue; readonly errors?: readonly JsonObject[] };
}
