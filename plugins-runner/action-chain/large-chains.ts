import type { DefinitionFinding, DefinitionGraph, DefinitionTools } from "../../core/contract/index.ts";
import { DefinitionThread } from "../_definition-thread/index.ts";
import type { Chain } from "./definition/chain.ts";
import { inspectChain } from "./definition/inspect-chain.ts";
import { readChain } from "./definition/read-chain.ts";
import { toGraph } from "./definition/to-graph.ts";

/** Large chains are read in threads. */
const { forRequests, forRuns } = DefinitionThread.createPair(new URL("./definition-worker", import.meta.url).href);

export function inspect(text: string, tools: DefinitionTools): Promise<readonly DefinitionFinding[]> {
	return DefinitionThread.isLarge(text) ? forRequests.inspect(text, tools) : inspectChain(text, tools);
}

/** @param name what messages call the chain: the ref of its action. Messages about large ones say "the chain". */
export async function read(text: string, name?: string): Promise<Chain> {
	return DefinitionThread.isLarge(text) ? forRuns.read<Chain>("read", text) : readChain(text, name);
}

export async function graph(text: string): Promise<DefinitionGraph> {
	return DefinitionThread.isLarge(text) ? forRequests.read<DefinitionGraph>("graph", text) : toGraph(readChain(text));
}
