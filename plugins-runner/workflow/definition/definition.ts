import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";

/** Definition that can run: parsed, with all shorthand expanded, and without findings other than warnings. */
export interface Definition {
	readonly text: string;
	readonly input: readonly InputDefinition[];
	readonly vars: readonly Assignment[];
	readonly output: readonly Assignment[];
	/** Timeout of the whole workflow in seconds, or an expression for it. */
	readonly timeout: Timing | null;
	/** Tasks by name, in the order of the source. */
	readonly tasks: ReadonlyMap<string, TaskDefinition>;
	readonly graph: TaskGraph;
}

/** Location in the source of a definition. */
export interface SourceLocation {
	/** Path such as `tasks.task2.next[0].when`. */
	readonly spec_path: string;
	/** Line, from 1. */
	readonly line: number;
}

/** Number, or an expression that yields one. */
export interface Timing extends SourceLocation {
	readonly value: number | string;
}

export interface InputDefinition extends SourceLocation {
	readonly name: string;
	/** Value if no parameter is given; undefined means null. */
	readonly default: JsonValue | undefined;
}

/** Variable and its value, which may contain expressions. */
export interface Assignment extends SourceLocation {
	readonly name: string;
	readonly value: JsonValue;
}

export interface TaskDefinition extends SourceLocation {
	readonly name: string;
	/** Ref of an action, or an expression for one. Null: a step without work. */
	readonly action: string | null;
	/** Parameters, which may contain expressions, or one expression that yields all of them. */
	readonly input: JsonObject | string;
	readonly items: ItemsDefinition | null;
	/** Number of different tasks that must have arrived. Null if each one starts the task. */
	readonly join: "all" | number | null;
	readonly delay: Timing | null;
	readonly timeout: Timing | null;
	readonly retry: RetryDefinition | null;
	readonly next: readonly TransitionDefinition[];
}

export interface ItemsDefinition extends SourceLocation {
	/** Names before `in` for the parts of an item. Empty if an item is not split. */
	readonly names: readonly string[];
	/** Expression for the list. */
	readonly list: string;
	readonly concurrency: Timing | null;
	/** `continue_on_failure`: all items run, even if some fail. */
	readonly continuesOnFailure: boolean;
}

export interface RetryDefinition extends SourceLocation {
	/** Condition of a retry. Null: the task has failed. */
	readonly when: string | null;
	readonly count: Timing;
	readonly delay: Timing | null;
}

export interface TransitionDefinition extends SourceLocation {
	/** Index in `next`, from 0. */
	readonly index: number;
	/** Condition of the transition. Null: it is always followed. */
	readonly when: string | null;
	readonly publish: readonly Assignment[];
	/** Tasks and engine commands, at least `continue`. The command `retry` is not a target, because it is converted to the task's `retry`. */
	readonly targets: readonly string[];
}

/** Engine commands, which are used as targets like tasks. */
export const engineCommands = ["continue", "noop", "fail"] as const;

export interface TaskGraph {
	/** Names of the tasks without a predecessor, sorted by name. */
	readonly starts: readonly string[];
	/**
	 * Edges that leave a task, by the index of their transition, then in the order of its targets. A task that cannot be reached has none.
	 */
	readonly from: ReadonlyMap<string, readonly Edge[]>;
	/** Names of the different tasks that lead to a task. */
	readonly sources: ReadonlyMap<string, readonly string[]>;
	/**
	 * Tasks and commands that run once for each path that leads to them. They are not joins, not in a cycle, and have several incoming edges.
	 */
	readonly splits: ReadonlySet<string>;
}

/** One target of a transition. */
export interface Edge {
	/** `<target>__t<number>`, where the edges between two tasks are numbered from 0. Errors have it as `task_transition_id`. */
	readonly id: string;
	readonly source: string;
	/** Task or engine command. */
	readonly target: string;
	readonly transition: TransitionDefinition;
}
