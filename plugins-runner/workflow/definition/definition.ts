import type { JsonObject, JsonValue } from "../../../core/contract/index.ts";

/** A definition that may run: read, all shorthand spelled out, without findings other than warnings. */
export interface Definition {
	/** As it was read. */
	readonly text: string;
	readonly input: readonly InputDefinition[];
	readonly vars: readonly Assignment[];
	readonly output: readonly Assignment[];
	/** Seconds for the whole, or an expression for them. */
	readonly timeout: Timing | null;
	/** In the order of the text. */
	readonly tasks: ReadonlyMap<string, TaskDefinition>;
	readonly graph: TaskGraph;
}

/** Where something stands. */
export interface SourceLocation {
	/** Such as `tasks.task2.next[0].when`. */
	readonly spec_path: string;
	/** From 1. */
	readonly line: number;
}

/** A number, or an expression that yields one. */
export interface Timing extends SourceLocation {
	readonly value: number | string;
}

export interface InputDefinition extends SourceLocation {
	readonly name: string;
	/** Undefined: null when nothing is given. */
	readonly default: JsonValue | undefined;
}

/** A name and the value, perhaps with expressions, that it gets. */
export interface Assignment extends SourceLocation {
	readonly name: string;
	readonly value: JsonValue;
}

export interface TaskDefinition extends SourceLocation {
	readonly name: string;
	/** Ref of an action, or an expression for one; null: a step without work. */
	readonly action: string | null;
	/** Parameters, perhaps with expressions, or one expression that yields them. */
	readonly input: JsonObject | string;
	readonly items: ItemsDefinition | null;
	/** How many different tasks before it must have come; null where each one starts it. */
	readonly join: "all" | number | null;
	readonly delay: Timing | null;
	readonly timeout: Timing | null;
	readonly retry: RetryDefinition | null;
	readonly next: readonly TransitionDefinition[];
}

export interface ItemsDefinition extends SourceLocation {
	/** Names before `in`; none: an item is what it is. */
	readonly names: readonly string[];
	/** The expression for the list. */
	readonly list: string;
	readonly concurrency: Timing | null;
	/** `continue_on_failure`: all items run, whatever becomes of some. */
	readonly continuesOnFailure: boolean;
}

export interface RetryDefinition extends SourceLocation {
	/** Null: when the task has failed. */
	readonly when: string | null;
	readonly count: Timing;
	readonly delay: Timing | null;
}

export interface TransitionDefinition extends SourceLocation {
	/** Number in `next`, from 0. */
	readonly index: number;
	/** Null: whatever came of the task. */
	readonly when: string | null;
	readonly publish: readonly Assignment[];
	/** Tasks and engine commands; at least `continue`. The command `retry` is no target, it has become the task's `retry`. */
	readonly targets: readonly string[];
}

/** Engine commands, which stand where tasks do. */
export const engineCommands = ["continue", "noop", "fail"] as const;

/** What leads where. */
export interface TaskGraph {
	/** Names of the tasks that nothing leads to, in the order of their names. */
	readonly starts: readonly string[];
	/** Edges that leave a task, by the number of their transition, then in the order of its targets; none of a task that nothing reaches. */
	readonly from: ReadonlyMap<string, readonly Edge[]>;
	/** Names of the different tasks that lead to a task. */
	readonly sources: ReadonlyMap<string, readonly string[]>;
	/** Tasks and commands that run once for each way that leads to them: no joins, in no cycle, and the target of several edges. */
	readonly splits: ReadonlySet<string>;
}

/** One target of a transition. */
export interface Edge {
	/** `<target>__t<number>`, where edges between the same two tasks are numbered from 0: what errors have as `task_transition_id`. */
	readonly id: string;
	readonly source: string;
	/** A task or an engine command. */
	readonly target: string;
	readonly transition: TransitionDefinition;
}
