import type { DefinitionFinding, DefinitionGraph, GraphEdge, GraphNode, TaskState } from "../../contract/index.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Redactor } from "../../secrets/redactor.ts";

/** The definition of a run, and how far it has come in it. */
export interface RunGraph {
	readonly nodes: readonly RunGraphNode[];
	readonly edges: readonly RunGraphEdge[];
}

export interface RunGraphNode extends GraphNode {
	/** The task as far as it has come: none before it has begun, more than one where it runs once for each of several ways. */
	readonly tasks: readonly TaskState[];
}

export interface RunGraphEdge extends GraphEdge {
	/** How often it was taken. */
	readonly taken: number;
}

/** Something of a run, and what of it must not be shown. */
export interface OfRun<T> {
	readonly value: T;
	readonly secrets: Redactor;
}

/** How a definition is looked at. */
export interface InspectOptions {
	/** The runner that it is written for. Default `workflow`. */
	readonly runner?: string | undefined;
	/** Whoever asks: actions that one may not view are as if there were none. Default: the program itself, which may do everything. */
	readonly principal?: Principal;
}

/** The workflows of an engine: actions that are made of other actions. */
export interface Workflows {
	/** What is wrong with the text of a definition, sorted by type and place. `SVC_INVALID` for a runner that reads no definitions. */
	inspect(text: string, options?: InspectOptions): Promise<readonly DefinitionFinding[]>;
	/** The definition of an action as a graph. `SVC_NOT_FOUND`; `SVC_INVALID` for an action that is no workflow. */
	graph(refOrId: string): Promise<DefinitionGraph>;
	/** The definition that an execution has, with its tasks. `SVC_NOT_FOUND`; `SVC_INVALID` for an execution that is no workflow. */
	runGraph(executionId: string): Promise<OfRun<RunGraph>>;
	/** The tasks of an execution in the order of their start, also while it runs. Errors as those of `runGraph`. */
	tasks(executionId: string): Promise<OfRun<readonly TaskState[]>>;
}
