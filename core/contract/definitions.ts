import type { ExpressionLanguage, Expressions } from "./expressions.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ParameterSchema } from "./parameters.ts";

/** Something that is wrong with a definition. */
export interface DefinitionFinding {
	/** `warning`: it runs, and perhaps not as it is meant. */
	readonly type: "syntax" | "semantic" | "expression" | "context" | "content" | "warning";
	readonly message: string;
	/** Where in the definition, such as `tasks.task2.next[0].when`; null: at its top. */
	readonly spec_path: string | null;
	/** Where in the schema of definitions; null where none is concerned. */
	readonly schema_path: string | null;
	/** From 1; null when it cannot be told. */
	readonly line: number | null;
	readonly language?: ExpressionLanguage;
	readonly expression?: string;
	/** Ref of the action that the definition names and there is not. Absent where the finding is about something else. */
	readonly missing_action?: string;
}

/** What must be known of an action that a definition names. */
export interface ActionSignature {
	readonly ref: string;
	readonly enabled: boolean;
	/** Those of the runner and of the action together. */
	readonly parameters: ParameterSchema;
}

/** What definitions are looked at with. */
export interface DefinitionTools {
	readonly expressions: Expressions;
	/** Undefined when there is no such action. Without this function actions are not looked at. */
	findAction?(ref: string): Promise<ActionSignature | undefined>;
}

/** A definition as a graph. */
export interface DefinitionGraph {
	readonly nodes: readonly GraphNode[];
	readonly edges: readonly GraphEdge[];
}

/** A task, or an engine command that tasks lead to. */
export interface GraphNode {
	/** Name of the task, or an engine command such as `fail` or `noop`. */
	readonly id: string;
	readonly kind: "task" | "command";
	/** The action, as it is written; null for a task without one and for commands. */
	readonly action: string | null;
	/** How many of those before it must have come; null where it starts with each. */
	readonly join: "all" | number | null;
	/** What it takes its items of, as it is written; null without items. */
	readonly items: string | null;
	readonly is_start: boolean;
}

/** What leads from a task to another one. */
export interface GraphEdge {
	readonly from: string;
	readonly to: string;
	/** Number of the transition in `next`, from 0. */
	readonly transition: number;
	/** As it is written; null: whatever came of the task. */
	readonly when: string | null;
	/** Names of the variables that it publishes; without the member nothing is known of that. */
	readonly publish?: readonly string[];
}

/** Status of a task. `timeout` is that of the task itself, whose `timeout` has passed, or of its action. */
export type TaskStatus =
	| "requested"
	| "delayed"
	| "running"
	| "succeeded"
	| "failed"
	| "timeout"
	| "canceled"
	| "pending"
	| "pausing"
	| "paused"
	| "retrying";

/** A task of a run, as far as it has come. */
export interface TaskState {
	/** Unique in the run and the same for all attempts, 24 hexadecimal digits: what children have as `task_execution_id`. */
	readonly id: string;
	readonly name: string;
	/** 0 unless the task runs once for each of several ways that lead to it. */
	readonly route: number;
	readonly status: TaskStatus;
	/** The action that it has started; null without one. */
	readonly action: string | null;
	/** How often it has been tried, from 1. */
	readonly attempts: number;
	readonly start_timestamp: string;
	readonly end_timestamp: string | null;
	/** Its executions, of all attempts, in the order of their start. */
	readonly execution_ids: readonly string[];
	/** Of a task with items. */
	readonly items: { readonly total: number; readonly succeeded: number; readonly failed: number; readonly active: number } | null;
	/** Transitions that were taken: names of targets, with the number of the transition. */
	readonly next: readonly { readonly to: string; readonly transition: number }[];
}

/** How far a run has come. */
export interface RunProgress {
	/** Text of the definition that it runs; null when it is not known yet. */
	readonly definition: string | null;
	readonly tasks: readonly TaskState[];
	/** What is published at this moment. */
	readonly variables: JsonObject;
	readonly errors: readonly JsonObject[];
}

/** What came of one case of a test. */
export interface DefinitionCaseResult {
	readonly name: string;
	/** What differs from what the case expects; empty: it passed. */
	readonly problems: readonly string[];
	readonly status: string;
	readonly output: JsonValue;
	/** Names of the tasks that ran, in their order, with `__r<route>` behind those of other routes than 0. */
	readonly tasks: readonly string[];
}

/** For runners whose actions are made of others, as the definition in the file of the entry point says. All but `inspect` only look and calculate. */
export interface Definitions {
	/** Everything that is wrong with the text of a definition, sorted by type and place; without findings other than warnings it may run. */
	inspect(text: string, tools: DefinitionTools): Promise<readonly DefinitionFinding[]>;
	/** `SVC_INVALID` for a text that is no definition. */
	graph(text: string): DefinitionGraph | Promise<DefinitionGraph>;
	/** What the journal of a run tells of it. A long journal is best read in pieces, so that the event loop goes on. */
	progress(entries: readonly JsonObject[]): RunProgress | Promise<RunProgress>;
	/**
	 * True if a paused run with this journal has work that waits for none of its children, such as a task that was held back by the pause. Absent:
	 * a paused run with open children only waits for these. A resume is refused while all that is open waits for answers to questions.
	 */
	hasHeldWork?(entries: readonly JsonObject[]): boolean | Promise<boolean>;
	/**
	 * Throws `SVC_INVALID` when a run with this journal, which has ended, cannot be taken up again with these tasks (paths as in `TakenUp`). Absent
	 * where runs cannot.
	 */
	assertTakenUp?(entries: readonly JsonObject[], tasks: readonly string[], reset: readonly string[]): void | Promise<void>;
	/**
	 * Run a definition against the results that each case of a text in YAML gives; nothing is started. `SVC_INVALID` for a text that holds no cases.
	 * Absent where definitions cannot be tried that way.
	 */
	test?(definition: string, cases: string, tools: DefinitionTools): Promise<readonly DefinitionCaseResult[]>;
}
