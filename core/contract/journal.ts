import type { PreparedChild } from "./children.ts";
import type { TaskState } from "./definitions.ts";
import type { JsonObject } from "./json.ts";

/** What is stored together with an entry. */
export interface JournalStep {
	/** Children that start with it. */
	readonly start?: readonly PreparedChild[];
	/** Tasks that the entry has changed: told on the general stream as `svc.task__update`. */
	readonly tasks?: readonly TaskState[];
}

/**
 * What a run has decided, entry by entry, for whoever goes on with it: an entry says what is new since the one before, so that what is written
 * grows with what happens and not with what is known. Stored as it is, secrets in clear, and removed with the execution.
 *
 * For runners with `recovery`. A run that has added an entry is found by `recover` as if it had called `saveState({})`.
 */
export interface RunJournal {
	/** All entries so far, the oldest first; none in the first run of an execution. */
	read(): Promise<readonly JsonObject[]>;
	/**
	 * Add an entry and start children, both or neither: on disk when the promise resolves. A child whose key has been used already is not
	 * started again. Rejects with `SVC_CONFLICT` once the execution is not this run's.
	 */
	append(entry: JsonObject, step?: JournalStep): Promise<void>;
}

/** What a run decides with its end. */
export interface LastDecision {
	readonly entry: JsonObject;
	/** As `JournalStep.tasks`. */
	readonly tasks?: readonly TaskState[];
}

/** An execution that this one takes up again, of the same action. */
export interface TakenUp {
	readonly execution_id: string;
	/** Tasks that are to run again, each as a path of names with dots: of a task that is a workflow itself, tasks of that one. */
	readonly tasks: readonly string[];
	/** Those of them that begin anew, with items that have succeeded. */
	readonly reset: readonly string[];
	/** All entries of its journal. `children.result` has the results of its children, too. */
	readonly entries: readonly JsonObject[];
}
