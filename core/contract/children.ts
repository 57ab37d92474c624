import type { ExecutionStatus } from "./entities/execution.ts";
import type { JsonObject } from "./json.ts";

/** A child to be started. */
export interface ChildRequest {
	/**
	 * Names the child within the run, at most 255 characters. It is what makes a start happen once: whoever goes on with the run starts
	 * with the same keys and gets the same children. Make it of what the runner knows for certain, such as the name of a step and the number
	 * of the attempt; never of chance or of the time.
	 */
	readonly key: string;
	/** `<pack>.<action>`. */
	readonly action: string;
	/**
	 * Checked and cast by the schemas of the action. Taken as they are: templates in them are not rendered, as they may hold what has come
	 * from outside.
	 */
	readonly parameters?: JsonObject;
	/**
	 * Kept with the child, and shown with it. `parent`, `user`, `pack` and `trace_context` are the host's; `api_user`, `item_user`
	 * and `source_channel` are the parent's where they are left out.
	 */
	readonly context?: JsonObject;
	/** Milliseconds before it begins. Default 0. */
	readonly delay?: number;
	/** Told when it has ended, as of an execution that somebody asked for. Default: what the action says. */
	readonly notify?: JsonObject;
	/** It takes up an earlier execution of its action again, a child of this run or of one that this run takes up (`TakenUp`). */
	readonly takesUp?: { readonly execution_id: string; readonly tasks: readonly string[]; readonly reset: readonly string[] };
}

/** A child that may be started: everything about it has been looked at, and nothing stored. Valid until the run settles. */
export interface PreparedChild {
	/** The id that it has, or will have. */
	readonly id: string;
	readonly key: string;
}

/**
 * A child execution, as the runner of its parent sees it. Where a policy has it run again, all its executions are one child: it has not ended
 * before the last of them has, and `status`, `context` and `liveaction_id`, as well as its result, are those of the latest one.
 */
export interface Child {
	/** What it was started as, however often it is run again. */
	readonly id: string;
	/** The execution that it is by now; `id`, unless a policy has had it run again. Calls take either id. */
	readonly execution_id: string;
	/** What it was started with. Undefined for what came otherwise, over the API. No policy has that run again. */
	readonly key: string | undefined;
	readonly action_ref: string;
	readonly liveaction_id: string;
	readonly status: ExecutionStatus;
	/** Whether the status is final, and no policy has it run again. It never changes again then. */
	readonly hasEnded: boolean;
	/** As it is stored: what it was started with, and what has been noted since, such as `cancelled_by`. */
	readonly context: JsonObject;
}

/** How long something is waited for. */
export interface ChildWait {
	/** Ends the wait. Default: the signal of the run. Another one waits beyond its abort, for the ends of what the runner cancels then. */
	readonly signal?: AbortSignal;
}

/**
 * The executions that a run is made of. They are executions like others: they have this run's as their parent, are in its trace, run for
 * its user with the permissions of its author, on any node, and know its secrets. A child goes on when its parent has ended, however that
 * came about: a runner whose cancel or time-out is to end them cancels them itself when its signal aborts.
 *
 * All of it is durable. A runner with `recovery` that calls `saveState` before it starts its first child is asked to go on after a crash,
 * perhaps on another node, and finds its children by their keys, with those that have ended meanwhile.
 *
 * While a run waits for children, by `ended` or `changes`, it takes no place of the pool (`actionrunner.actions_pool_size`), since its
 * children may need it.
 *
 * Everything rejects with `SVC_CONFLICT` once the execution is no longer this run's, after which the run must end, and with
 * `SVC_NOT_FOUND` for an id that is no child's of this run. While the storage is away calls wait for it.
 */
export interface ChildExecutions {
	/**
	 * Start a child, and resolve with its id. On disk when the promise resolves. When there is a child with this key already, that one's id,
	 * whatever has become of it and whatever else the request says. It may be started as over the API: `SVC_FORBIDDEN` where the user
	 * (of what a rule has started, the rule's author) lacks the permission `action_execute`, or the API key of the request its scope;
	 * `SVC_NOT_FOUND` for an unknown action, `SVC_INVALID` for one that is disabled, for parameters that it does not take, and
	 * for what would stand in more than 50 others.
	 */
	start(request: ChildRequest): Promise<string>;
	/** As `start`, without starting it: rejects with what `start` would. `RunJournal.append` starts it. */
	prepare(request: ChildRequest): Promise<PreparedChild>;
	/** The child with this key; undefined when none has been started. */
	find(key: string): Promise<Child | undefined>;
	/** All children in the order of their start, those without a key as well. One that was run again is one child. */
	list(): Promise<readonly Child[]>;
	/** The child, once it has ended; at once when it has. Rejects with the signal's reason when that aborts first. */
	ended(id: string, options?: ChildWait): Promise<Child>;
	/**
	 * Every child as it is, in the order of their start, then each whenever its status has changed: ends, questions (`pending`), pauses. Where
	 * several changes come at once, or while the loop is busy, the last one is told. Ends without an error when the signal aborts; never by
	 * itself, as more may be started.
	 */
	changes(options?: ChildWait): AsyncIterable<Child>;
	/**
	 * What a child has ended with, or asks (`pending`); null when there is nothing yet. As recorded, secrets in clear. What is secret in it
	 * is known to this run from then on, and masked in what it emits, announces and ends with.
	 */
	result(id: string): Promise<JsonObject | null>;
	/**
	 * Ask for the end of a child; resolves when that is stored, not when it has ended. Nothing happens to one that has. A question that
	 * waits for its answer ends at once.
	 */
	cancel(id: string): Promise<void>;
	/** Ask a child to pause. `SVC_INVALID`, as over the API, where its runner cannot. */
	pause(id: string): Promise<void>;
	/** Ask a paused child to go on. `SVC_INVALID`, as over the API, where its runner cannot. */
	resume(id: string): Promise<void>;
}
