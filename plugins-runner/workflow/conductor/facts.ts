import type { ExecutionStatus, TaskStatus } from "../../../core/contract/index.ts";
import type { JournalValue } from "./journal-values.ts";

/** Values by name, as the journal holds them. */
export type JournalRecord = Readonly<Record<string, JournalValue>>;

/** Status of a run, as the conductor sees it. `failed`, `canceling` and `timeout`: what is active is waited for, then it ends so. */
export type RunStatus = "new" | "running" | "pausing" | "failed" | "canceling" | "timeout";

/** Where a task leads to. */
export interface FollowedEdge {
	/** Names it within the graph. */
	readonly id: string;
	/** A task or a command. */
	readonly to: string;
	readonly transition: number;
	readonly published?: JournalRecord;
	/** Of its target: `new` is one of its own, behind that of the task. Absent: that of the task. */
	readonly route?: "new";
	/** How many different tasks a join needs; absent: it is none. */
	readonly needs?: number;
	readonly isCommand?: true;
}

/** What is known of an attempt when it begins. Times are in microseconds. */
export interface AttemptFacts {
	/** Number of what was staged. */
	readonly staged: number;
	/** Milliseconds before its children begin. */
	readonly delay?: number;
	/** Without action: when it is over. */
	readonly due?: number;
	/** When its time is over. */
	readonly deadline?: number;
}

export interface ItemsFacts {
	readonly list: JournalValue;
	readonly total: number;
	readonly concurrency: number | null;
	readonly continues: boolean;
}

/**
 * What is decided or was seen: the only thing that changes the state of a run, live as well as out of its journal. Nothing in it is evaluated,
 * and nothing of it needs the definition.
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
	/** What is taken up again has another system, and its time begins anew. */
	| { readonly fact: "system"; readonly system: JournalRecord; readonly deadline?: number }
	| (AttemptFacts & {
			readonly fact: "start";
			readonly id: string;
			readonly action: string | null;
			readonly retry?: { readonly count: number; readonly delay: number };
			readonly items?: ItemsFacts;
	  })
	| (AttemptFacts & { readonly fact: "again"; readonly action: string | null })
	/** Items up to this one, which is left out, are asked for. */
	| { readonly fact: "ask"; readonly task: number; readonly to: number }
	| {
			readonly fact: "child";
			readonly task: number;
			readonly item?: number;
			readonly id: string;
			readonly status: ExecutionStatus;
	  }
	| { readonly fact: "refused"; readonly task: number; readonly item?: number; readonly message: string }
	/** The delay of a task without action is over. */
	| { readonly fact: "due"; readonly task: number }
	| { readonly fact: "expire"; readonly task: number }
	/** A further item cannot be rendered. */
	| { readonly fact: "break"; readonly task: number }
	| { readonly fact: "retry"; readonly task: number }
	| { readonly fact: "end"; readonly task: number; readonly status: TaskStatus; readonly next: readonly FollowedEdge[] }
	| { readonly fact: "error"; readonly entry: JournalRecord }
	/** `isAsked`: of a pause, that it is not for a child alone. */
	| { readonly fact: "status"; readonly status: RunStatus; readonly isAsked?: boolean }
	/** With `children` all that is paused below goes on as well. */
	| { readonly fact: "resume"; readonly children: boolean }
	/** What was staged and cannot be rendered. */
	| { readonly fact: "block"; readonly staged: readonly number[] }
	| { readonly fact: "finish"; readonly status: "succeeded" | "failed" | "canceled" | "timeout"; readonly output: JournalValue }
	| { readonly fact: "takeUp"; readonly tasks: readonly RerunTask[] };

/** A task of an earlier run that runs again. */
export interface RerunTask {
	readonly task: number;
	/** With items that have succeeded. */
	readonly reset: boolean;
	/** Tasks of the workflow that it is, and those of them that begin anew; none: all of it. */
	readonly inner: readonly string[];
	readonly innerReset: readonly string[];
}

/** An entry of the journal. */
export interface JournalEntry {
	/** Microseconds. */
	readonly at: number;
	readonly facts: readonly Fact[];
	/** Of a run that takes up an earlier one, in its first entry: the entries of that one. */
	readonly earlier?: readonly JournalEntry[];
}
