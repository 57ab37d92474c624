import type { PreparedChild } from "./children.ts";
import type { JsonObject } from "./json.ts";
import type { TaskState } from "./workflow-definitions.ts";

/** Data that is stored in one write with a journal entry. */
export interface JournalStep {
	/** Children that start with the entry. */
	readonly start?: readonly PreparedChild[];
	/** Tasks that the entry has changed. They are published on the general stream as `svc.task__update`. */
	readonly tasks?: readonly TaskState[];
}

/**
 * Journal of the decisions of a run, from which the run can be continued. For runners with `recovery`.
 *
 * Each entry describes the changes since the previous one, so the written data grows with the changes and not with the whole state. Entries
 * are stored unmasked, except that the token of the run is removed from them. They are deleted with the execution.
 *
 * A run that has added an entry can be recovered, as if it had called `saveState({})`.
 */
export interface RunJournal {
	/** Returns all entries, oldest first. Empty in the first run of an execution. */
	read(): Promise<readonly JsonObject[]>;
	/**
	 * Adds an entry and starts children atomically. Both are durable when the promise resolves.
	 *
	 * A child whose key already exists is not started again. Throws `SVC_CONFLICT` if the execution no longer belongs to this run.
	 */
	append(entry: JsonObject, step?: JournalStep): Promise<void>;
}

/** The last journal entry of a run. The write that ends the run also stores it. */
export interface LastDecision {
	readonly entry: JsonObject;
	/** Tasks that the entry has changed, as in `JournalStep.tasks`. */
	readonly tasks?: readonly TaskState[];
}

/** An earlier execution of the same action that this execution partially re-runs. */
export interface PartialRerunSource {
	readonly execution_id: string;
	/**
	 * Tasks to run again, as paths of names separated by dots. In `outer.inner`, the task `outer` is a workflow and `inner` one of its
	 * tasks.
	 */
	readonly tasks: readonly string[];
	/** Those of `tasks` that start from the beginning: items that have succeeded run again as well. */
	readonly reset: readonly string[];
	/** All entries of the execution's journal. `children.result` also returns the results of its children. */
	readonly entries: readonly JsonObject[];
}
