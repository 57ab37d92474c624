import type { ExpressionLanguage, Expressions } from "./expressions.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { ParameterDefinitions } from "./parameters.ts";

/** A problem found in a definition, which is the file that describes a workflow. */
export interface DefinitionFinding {
	/**
	 * Kind of the problem. A definition with findings other than warnings is refused.
	 *
	 * - `syntax`: the source does not match the grammar or schema of definitions.
	 * - `semantic`: the definition is well-formed but inconsistent, such as a reference to a missing task.
	 * - `expression`: an expression violates the grammar of its language.
	 * - `context`: a variable is read that may not be set.
	 * - `content`: an action does not exist, or its parameters do not match.
	 * - `warning`: the definition runs, but perhaps not as its author intended.
	 */
	readonly type: "syntax" | "semantic" | "expression" | "context" | "content" | "warning";
	/** Description of the problem, for the author of the definition. */
	readonly message: string;
	/** Path in the definition, such as `tasks.task2.next[0].when`. Null if the problem concerns the top level. */
	readonly spec_path: string | null;
	/** Path in the schema of definitions. Null if the problem does not concern the schema. */
	readonly schema_path: string | null;
	/** Line number, from 1. Null if it is unknown. */
	readonly line: number | null;
	/** Language of the expression. Absent if the problem does not concern an expression. */
	readonly language?: ExpressionLanguage;
	/** The expression with its delimiters. Absent if the problem does not concern an expression. */
	readonly expression?: string;
	/** Ref of an action that the definition names and that does not exist. Absent if the problem is a different one. */
	readonly missing_action?: string;
}

/** The properties of an action that are needed to check a definition that names it. */
export interface ActionSignature {
	readonly ref: string;
	readonly enabled: boolean;
	/** Merged parameters of the runner and of the action. */
	readonly parameters: ParameterDefinitions;
}

/** Services that a runner uses to check a definition. */
export interface DefinitionServices {
	readonly expressions: Expressions;
	/**
	 * Returns the action with this ref. Resolves with undefined if the action does not exist. If this function is absent, actions are not
	 * checked.
	 */
	findAction?(ref: string): Promise<ActionSignature | undefined>;
}

/** Tasks of a definition and the transitions between them, as a graph. */
export interface DefinitionGraph {
	readonly nodes: readonly GraphNode[];
	readonly edges: readonly GraphEdge[];
}

/** A node of the graph: a task, or an engine command that follows tasks. */
export interface GraphNode {
	/** Name of the task, or an engine command such as `fail` or `noop`. */
	readonly id: string;
	/**
	 * - `task`: a task of the definition.
	 * - `command`: an engine command.
	 */
	readonly kind: "task" | "command";
	/** The action, as written in the definition. Null for commands and for tasks without an action. */
	readonly action: string | null;
	/** Inbound transitions that must arrive before the task starts: a number, or `all`. Null if each one starts the task by itself. */
	readonly join: "all" | number | null;
	/** The list of items, as written in the definition. Null if the task has no items. */
	readonly items: string | null;
	/** True if the task starts with the run. */
	readonly is_start: boolean;
}

/** A transition between two tasks. */
export interface GraphEdge {
	/** Id of the source node. */
	readonly from: string;
	/** Id of the target node. */
	readonly to: string;
	/** Index of the transition in `next`, from 0. */
	readonly transition: number;
	/** Condition of the transition, as written in the definition. Null if the transition is always taken. */
	readonly when: string | null;
	/** Names of the variables that the transition publishes. Absent if they are unknown. */
	readonly publish?: readonly string[];
}

/**
 * Status of a task.
 *
 * - `requested`: the task has been requested and has not started.
 * - `delayed`: the task waits for its delay, or its execution waits to be scheduled.
 * - `running`: the task is active.
 * - `succeeded`: the task has succeeded.
 * - `failed`: the task has failed.
 * - `timeout`: the `timeout` of the task itself has passed, or that of its action.
 * - `canceled`: the task was canceled.
 * - `pending`: the task waits for the answer to an inquiry.
 * - `pausing`: the task is a workflow that is pausing.
 * - `paused`: the task is a workflow that is paused.
 * - `retrying`: an attempt has failed, and another one will follow.
 */
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

/** Current state of a task of a run. */
export interface TaskState {
	/** Id within the run: 24 hexadecimal digits. All attempts share it. The context of children contains it as `task_execution_id`. */
	readonly id: string;
	readonly name: string;
	/** Number of the route. It is 0 unless the task runs once for each of several routes that lead to it. */
	readonly route: number;
	readonly status: TaskStatus;
	/** Ref of the action of the first attempt; for a task with items the action as in the definition. Null if the task has no action. */
	readonly action: string | null;
	/** Number of attempts, from 1. */
	readonly attempts: number;
	readonly start_timestamp: string;
	readonly end_timestamp: string | null;
	/** Ids of the executions of all attempts, in the order of their start. */
	readonly execution_ids: readonly string[];
	/** Number of items by state. Null if the task has no items. */
	readonly items: { readonly total: number; readonly succeeded: number; readonly failed: number; readonly active: number } | null;
	/** Transitions that were taken: the target, and the index of the transition in `next`. */
	readonly next: readonly { readonly to: string; readonly transition: number }[];
}

/** Progress of a workflow run, as its journal describes it. */
export interface RunProgress {
	/** Source of the definition that the run follows. Null if the run has not read it yet. */
	readonly definition: string | null;
	readonly tasks: readonly TaskState[];
	/** Variables that tasks have published so far. */
	readonly variables: JsonObject;
	readonly errors: readonly JsonObject[];
}

/** Result of one test case of a definition. */
export interface DefinitionCaseResult {
	readonly name: string;
	/** Differences from the expected result. The case has passed if the list is empty. */
	readonly problems: readonly string[];
	readonly status: string;
	readonly output: JsonValue;
	/** Names of the tasks that ran, in their order. The suffix `__r<route>` marks routes other than 0. */
	readonly tasks: readonly string[];
}

/**
 * Support for runners whose actions are composed of other actions. The entry point of such an action is a file with a definition.
 *
 * No function changes anything. Only `inspect` and `test` call services of the host.
 */
export interface WorkflowDefinitionSupport {
	/** Returns all problems of a definition, sorted by type and position. If there are only warnings, the definition may run. */
	inspect(text: string, tools: DefinitionServices): Promise<readonly DefinitionFinding[]>;
	/** Returns the definition as a graph. Throws `SVC_INVALID` if `text` is not a definition. */
	graph(text: string): DefinitionGraph | Promise<DefinitionGraph>;
	/** Returns the progress that the journal of a run describes. Process a long journal in parts, so that the event loop is not blocked. */
	progress(entries: readonly JsonObject[]): RunProgress | Promise<RunProgress>;
	/**
	 * Returns true if a paused run with this journal has work that waits for no child. An example is a task that the pause held back.
	 *
	 * If this function is absent, the host assumes that a paused run with open children waits only for them. The host refuses a resume while
	 * all open work waits for answers to inquiries.
	 */
	hasHeldWork?(entries: readonly JsonObject[]): boolean | Promise<boolean>;
	/**
	 * Throws `SVC_INVALID` if an ended run with this journal does not support a partial re-run of these tasks.
	 *
	 * Absent if the runner does not support partial re-runs.
	 * @param tasks paths as in `PartialRerunSource.tasks`
	 * @param reset paths as in `PartialRerunSource.reset`
	 */
	assertTakenUp?(entries: readonly JsonObject[], tasks: readonly string[], reset: readonly string[]): void | Promise<void>;
	/**
	 * Tests a definition with simulated results, which each case provides. Starts nothing. Throws `SVC_INVALID` if `cases` contains no
	 * cases.
	 *
	 * Absent if the runner cannot test definitions in this way.
	 * @param cases test cases in YAML
	 */
	test?(definition: string, cases: string, tools: DefinitionServices): Promise<readonly DefinitionCaseResult[]>;
}
