import type { DefinitionFinding, DefinitionGraph, DefinitionServices } from "../../core/contract/index.ts";
import { DefinitionThread } from "../_definition-thread/index.ts";
import type { Chain } from "./definition/chain.ts";
import { inspectChain } from "./definition/inspect-chain.ts";
import { readChain } from "./definition/read-chain.ts";
import { toGraph } from "./definition/to-graph.ts";

const { forRequests, forRuns } = DefinitionThread.createPair(new URL("./definition-worker", import.meta.url).href);

export function inspect(text: string, tools: DefinitionServices): Promise<readonly DefinitionFinding[]> {
	return DefinitionThread.isLarge(text) ? forRequests.inspect(text, tools) : inspectChain(text, tools);
}

/**
 * Reads a chain. Large chains are read in a worker thread.
 * @param name Name of the chain in messages: the ref of its action. Messages about large chains call it "the chain".
 */
export async function read(text: string, name?: string): Promise<Chain> {
	return DefinitionThread.isLarge(text) ? forRuns.read<Chain>("read", text) : readChain(text, name);
}

export async function graph(text: string): Promise<DefinitionGraph> {
	return DefinitionThread.isLarge(text) ? forRequests.read<DefinitionGraph>("graph", text) : toGraph(readChain(text));
}
