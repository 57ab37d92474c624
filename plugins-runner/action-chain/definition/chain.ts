import type { JsonObject } from "../../../core/contract/index.ts";

/** Valid definition of a chain. */
export interface Chain {
	/** Definition as it was read. */
	readonly text: string;
	/** Templates of the variables that exist from the start of the run. */
	readonly vars: JsonObject;
	/** Nodes in the order of the definition; at least one. */
	readonly nodes: readonly ChainNode[];
	/** Name of the first node to run. */
	readonly start: string;
}

export interface ChainNode {
	readonly name: string;
	/** Reference of the action. */
	readonly ref: string;
	/** Templates of the parameters of the action. */
	readonly parameters: JsonObject;
	/** Name of the next node after a success; null if the chain ends there. */
	readonly onSuccess: string | null;
	readonly onFailure: string | null;
	/** Templates of the values that the node publishes to other nodes and to the result of the chain. */
	readonly publish: JsonObject;
	/** Notification settings of the node; null to use the settings of the chain. */
	readonly notify: JsonObject | null;
	/** Definition of the node with underscores instead of hyphens in its keys. It is added to the context of its executions. */
	readonly parsed: JsonObject;
}

/** Returns the node with this name. If several nodes have the name, only the first one runs. */
export function findNode({ nodes }: Pick<Chain, "nodes">, name: string): ChainNode | undefined {
	return nodes.find((node) => node.name === name);
}
