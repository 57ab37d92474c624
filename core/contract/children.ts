import type { ExecutionStatus } from "./entities/execution.ts";
import type { JsonObject } from "./json.ts";

/** Request to start a child. */
export interface ChildRequest {
	/**
	 * Idempotency key of the child within the run, at most 255 characters.
	 *
	 * When a run is continued, it requests children with unchanged keys and receives the children that exist. Derive keys from stable
	 * data, such as the name of a step and the number of the attempt; never from random values or the time.
	 */
	readonly key: string;
	/** Ref of the action: `<pack>.<action>`. */
	readonly action: string;
	/**
	 * Parameters, which are validated and cast by the schemas of the action.
	 *
	 * Templates in them are not rendered, because the values may be untrusted input.
	 */
	readonly parameters?: JsonObject;
	/**
	 * Context of the child, which is stored and shown with it.
	 *
	 * The host sets `parent`, `user`, `pack` and `trace_context`. If `api_user`, `item_user` or `source_channel` are absent, the child
	 * inherits them from its parent.
	 */
	readonly context?: JsonObject;
	/** Milliseconds before the child begins. Default 0. */
	readonly delay?: number;
	/** Recipients of the notification about the end of the child. Ignored if the action names recipients itself, in its `notify`. */
	readonly notify?: JsonObject;
	/**
	 * Makes the child a partial re-run of an earlier execution of its action. The execution must be a child of this run or of an
	 * execution that this run re-runs (`PartialRerunSource`).
	 */
	readonly takesUp?: { readonly execution_id: string; readonly tasks: readonly string[]; readonly reset: readonly string[] };
}

/** A child that has been validated but not stored. It can be started until the run settles. */
export interface PreparedChild {
	/** Id of the child, before and after its start. */
	readonly id: string;
	/** Key of the request. */
	readonly key: string;
}

/**
 * A child execution, as the runner of its parent sees it.
 *
 * If a policy re-runs it, all its executions together are one child. The child ends when the last of them ends. `status`, `context`,
 * `liveaction_id` and the result are those of the latest execution.
 */
export interface Child {
	/** Id of the first execution of the child. It never changes. */
	readonly id: string;
	/** Id of the latest execution. It equals `id` unless a policy has re-run the child. All methods accept either id. */
	readonly execution_id: string;
	/** Key of the request. Undefined for a child that was started over the API. Policies do not re-run such a child. */
	readonly key: string | undefined;
	readonly action_ref: string;
	readonly liveaction_id: string;
	readonly status: ExecutionStatus;
	/** True if the status is final and no policy re-runs the child. The child never changes again. */
	readonly hasEnded: boolean;
	/** The stored context: that of the request, and members that were added later, such as `cancelled_by`. */
	readonly context: JsonObject;
}

/** Options of waiting methods. */
export interface ChildWait {
	/**
	 * Ends the wait. Default: the signal of the run. Pass another signal if the runner cancels its children after the abort and then waits for
	 * their ends.
	 */
	readonly signal?: AbortSignal;
}

/**
 * The child executions of a run.
 *
 * Children are ordinary executions. They have this execution as parent and belong to its trace. They run on any node for its user and
 * inherit its secrets. If a rule started the parent, the permissions are those of the rule's author, otherwise those of the user. A child
 * continues when its parent has ended, regardless of the reason. If a cancellation or time-out must end the children, the runner cancels
 * them when its signal aborts.
 *
 * Everything is durable. If a runner has `recovery` and calls `saveState` before it starts its first child, the host calls `recover` after
 * a crash, possibly on another node. The run then finds its children by their keys, including those that have ended in the meantime.
 *
 * While a run waits for children in `ended` or `changes`, it occupies no slot of the pool (`actionrunner.actions_pool_size`), because its
 * children may need the slot.
 *
 * Every method rejects with `SVC_CONFLICT` if the execution no longer belongs to this run, which must then end. Every method except
 * `result` rejects with `SVC_NOT_FOUND` for an id that is not a child of this run. While the storage is unavailable, calls wait.
 */
export interface ChildExecutions {
	/**
	 * Starts a child. Resolves with its id when the start is durable.
	 *
	 * If a child with this key exists, the method returns its id, regardless of its state and of the rest of the request.
	 *
	 * The checks are those of the API:
	 *
	 * - `SVC_FORBIDDEN` if the user lacks the permission `action_execute`, or the API key of the request lacks the scope. For an execution
	 *   that a rule has started, the author of the rule needs the permission.
	 * - `SVC_NOT_FOUND` for an unknown action.
	 * - `SVC_INVALID` for a disabled action, for invalid parameters, and for a child with more than 50 ancestors.
	 */
	start(request: ChildRequest): Promise<string>;
	/** Validates a request without starting the child. Rejects with the errors of `start`. `RunJournal.append` starts the child. */
	prepare(request: ChildRequest): Promise<PreparedChild>;
	/** Returns the child with this key. Resolves with undefined if no such child has been started. */
	find(key: string): Promise<Child | undefined>;
	/** Returns all children in the order of their start, including those without a key. A child that was re-run appears once. */
	list(): Promise<readonly Child[]>;
	/**
	 * Resolves with the child when it has ended; at once if it already has. Rejects with the signal's reason if the signal aborts
	 * first.
	 */
	ended(id: string, options?: ChildWait): Promise<Child>;
	/**
	 * Yields every child in the order of their start, then each child whose status changes: an end, an inquiry (`pending`), a pause.
	 *
	 * If several changes occur at once, or while the consumer is busy, only the latest is yielded. The iteration never ends by itself,
	 * because more children may start. It ends without an error when the signal aborts.
	 */
	changes(options?: ChildWait): AsyncIterable<Child>;
	/**
	 * Returns the result of a child, or its inquiry if it is `pending`. Resolves with null if there is neither. Also accepts children of the
	 * execution that this run partially re-runs (`RunContext.takenUp`).
	 *
	 * The result is unmasked. Its secrets are then masked in the output, announcements and result of this run.
	 */
	result(id: string): Promise<JsonObject | null>;
	/**
	 * Requests the end of a child. Resolves when the request is stored, not when the child has ended.
	 *
	 * Has no effect on an ended child. A child that waits for the answer to an inquiry ends at once.
	 */
	cancel(id: string): Promise<void>;
	/** Requests a pause of a child. Throws `SVC_INVALID`, as the API does, if its runner does not support it. */
	pause(id: string): Promise<void>;
	/** Requests that a paused child continues. Throws `SVC_INVALID`, as the API does, if its runner does not support it. */
	resume(id: string): Promise<void>;
}
