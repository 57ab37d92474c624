import type { JsonObject } from "../../../core/contract/index.ts";

/** A chain that may run. */
export interface Chain {
	/** As it was read. */
	readonly text: string;
	/** Templates whose values are there from the beginning. */
	readonly vars: JsonObject;
	/** In the order of the text; at least one. */
	readonly nodes: readonly ChainNode[];
	/** Name of the first node to run. */
	readonly start: string;
}

export interface ChainNode {
	readonly name: string;
	/** Of the action. */
	readonly ref: string;
	/** Templates. */
	readonly parameters: JsonObject;
	/** Name of the next node; null: the chain ends. */
	readonly onSuccess: string | null;
	readonly onFailure: string | null;
	/** Templates of what other nodes and the result of the chain get. */
	readonly publish: JsonObject;
	/** Null: what the chain says. */
	readonly notify: JsonObject | null;
	/** All of it as it stands in the text, with underscores for the hyphens of its keys: the context of its executions has it. */
	readonly parsed: JsonObject;
}

/** The node of a name. Of several the first one runs. */
export function findNode({ nodes }: Pick<Chain, "nodes">, name: string): ChainNode | undefined {
	return nodes.find((node) => node.name === name);
}
