import type { DefinitionFinding, DefinitionGraph, GraphEdge, GraphNode, TaskState } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Redactor } from "../../secrets/redactor.ts";

/** The definition of a run, with the progress of the run. */
export interface RunGraph {
	readonly nodes: readonly RunGraphNode[];
	readonly edges: readonly RunGraphEdge[];
}

export interface RunGraphNode extends GraphNode {
	/** Tasks of the node: none before the node has begun, several if the workflow reaches the node on several paths. */
	readonly tasks: readonly TaskState[];
}

export interface RunGraphEdge extends GraphEdge {
	/** Number of times that the run took the edge. */
	readonly taken: number;
}

/** Data of a run, with the secrets that must be masked in it. */
export interface OfRun<T> {
	readonly value: T;
	readonly secrets: Redactor;
}

/** Options for the analysis of a definition. */
export interface InspectOptions {
	/** The runner for which the definition is written. Default `workflow`. */
	readonly runner?: string | undefined;
	/** The caller. Actions that the caller may not view count as missing. Default: the embedding program, which may view every action. */
	readonly principal?: Principal;
}

/** The workflows of an engine: actions that are composed of other actions. */
export interface Workflows {
	/**
	 * Returns the problems of a definition, sorted by type and position.
	 * Throws `SVC_INVALID` if the runner does not support definitions.
	 */
	inspect(text: string, options?: InspectOptions): Promise<readonly DefinitionFinding[]>;
	/** Returns the definition of an action as a graph. Throws `SVC_NOT_FOUND`, or `SVC_INVALID` if the action is not a workflow. */
	graph(refOrId: string): Promise<DefinitionGraph>;
	/**
	 * Returns the definition that an execution uses, with its tasks.
	 * Throws `SVC_NOT_FOUND`, or `SVC_INVALID` if the execution is not a workflow.
	 */
	runGraph(executionId: string): Promise<OfRun<RunGraph>>;
	/**
	 * Returns the tasks of an execution in the order of their start, also while it runs.
	 * Throws `SVC_NOT_FOUND`, or `SVC_INVALID` if the execution is not a workflow.
	 */
	tasks(executionId: string): Promise<OfRun<readonly TaskState[]>>;
}
