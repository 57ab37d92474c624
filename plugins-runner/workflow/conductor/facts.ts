import type { ExecutionStatus, TaskStatus } from "../../../core/contract/index.ts";
import type { JournalValue } from "./journal-values.ts";

/** Values by name, encoded for the journal. */
export type JournalRecord = Readonly<Record<string, JournalValue>>;

/** Status of a run, as the conductor sees it. `failed`, `canceling` and `timeout` become the end status once nothing is active any more. */
export type RunStatus = "new" | "running" | "pausing" | "failed" | "canceling" | "timeout";

/** Edge that a completed task follows to another task or to a command. */
export interface FollowedEdge {
	/** Id of the edge, unique within the graph. */
	readonly id: string;
	/** Name of a task or of an engine command. */
	readonly to: string;
	readonly transition: number;
	readonly published?: JournalRecord;
	/** Route of the target. `new`: a route of its own, which continues the route of the task. Default: the route of the task. */
	readonly route?: "new";
	/** Number of different tasks that must arrive at the target before it starts. Absent if the target is not a join. */
	readonly needs?: number;
	readonly isCommand?: true;
}

/** Facts about an attempt of a task when it starts. Times are in microseconds. */
export interface AttemptFacts {
	/** Number of the staged task. */
	readonly staged: number;
	/** Milliseconds by which the start of its children is delayed. */
	readonly delay?: number;
	/** Time at which a task without an action ends. */
	readonly due?: number;
	/** Time at which the attempt times out. */
	readonly deadline?: number;
}

export interface ItemsFacts {
	readonly list: JournalValue;
	readonly total: number;
	readonly concurrency: number | null;
	readonly continues: boolean;
}

/**
 * A decision or an observation. Facts alone change the state of a run, both live and when its journal is replayed. Applying a fact
 * evaluates nothing and does not need the definition.
 */
export type Fact =
	| {
			readonly fact: "begin";
			readonly definition: string;
			readonly system: JournalRecord;
			readonly variables: JournalRecord;
			readonly starts: readonly string[];
			readonly deadline?: number;
	  }
	/** Start of a partial re-run, with its own system variables and timeout. */
	| { readonly fact: "system"; readonly system: JournalRecord; readonly deadline?: number }
	| (AttemptFacts & {
			readonly fact: "start";
			readonly id: string;
			readonly action: string | null;
			readonly retry?: { readonly count: number; readonly delay: number };
			readonly items?: ItemsFacts;
	  })
	| (AttemptFacts & { readonly fact: "again"; readonly action: string | null })
	/** Items before `to` were requested. */
	| { readonly fact: "ask"; readonly task: number; readonly to: number }
	| {
			readonly fact: "child";
			readonly task: number;
			readonly item?: number;
			readonly id: string;
			readonly status: ExecutionStatus;
	  }
	| { readonly fact: "refused"; readonly task: number; readonly item?: number; readonly message: string }
	/** The delay of a task without an action is over. */
	| { readonly fact: "due"; readonly task: number }
	| { readonly fact: "expire"; readonly task: number }
	/** The next item of the task could not be rendered. */
	| { readonly fact: "break"; readonly task: number }
	| { readonly fact: "retry"; readonly task: number }
	| { readonly fact: "end"; readonly task: number; readonly status: TaskStatus; readonly next: readonly FollowedEdge[] }
	| { readonly fact: "error"; readonly entry: JournalRecord }
	/** `isAsked` is true if a pause was requested, not only caused by a child. */
	| { readonly fact: "status"; readonly status: RunStatus; readonly isAsked?: boolean }
	/** If `children` is true, all paused children are resumed as well. */
	| { readonly fact: "resume"; readonly children: boolean }
	/** Staged tasks that could not be rendered and are not started. */
	| { readonly fact: "block"; readonly staged: readonly number[] }
	| { readonly fact: "finish"; readonly status: "succeeded" | "failed" | "canceled" | "timeout"; readonly output: JournalValue }
	| { readonly fact: "takeUp"; readonly tasks: readonly RerunTask[] };

/** Task of an earlier execution that runs again. */
export interface RerunTask {
	readonly task: number;
	/** True if items that have succeeded also run again. */
	readonly reset: boolean;
	/**
	 * If its child is a workflow: tasks of that workflow that run again, and those of them whose items all run again. Empty: everything runs
	 * again.
	 */
	readonly inner: readonly string[];
	readonly innerReset: readonly string[];
}

export interface JournalEntry {
	/** Time of the step in microseconds. */
	readonly at: number;
	readonly facts: readonly Fact[];
	/** Entries of the earlier execution; only in the first entry of a partial re-run. */
	readonly earlier?: readonly JournalEntry[];
}
