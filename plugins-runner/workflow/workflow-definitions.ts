import type { DefinitionFinding, DefinitionGraph, DefinitionServices } from "../../core/contract/index.ts";
import { DefinitionThread } from "../_definition-thread/index.ts";
import { scopeFunctionNames } from "./conductor/scope.ts";
import type { Definition } from "./definition/definition.ts";
import { inspectDefinition } from "./definition/inspect-definition.ts";
import { readDefinition } from "./definition/read-definition.ts";
import { toGraph } from "./definition/to-graph.ts";

const { forRequests, forRuns } = DefinitionThread.createPair(new URL("./definition-worker", import.meta.url).href);

/** Returns the findings of a definition, including calls of functions that do not exist. */
export function inspect(text: string, tools: DefinitionServices): Promise<readonly DefinitionFinding[]> {
	return DefinitionThread.isLarge(text) ? forRequests.inspect(text, tools) : inspectDefinition(text, tools, scopeFunctionNames);
}

/**
 * Returns the findings of a definition that will run. Calls of functions are not checked, because a call that the run never reaches does no
 * harm.
 */
export function inspectForRun(text: string, tools: DefinitionServices): Promise<readonly DefinitionFinding[]> {
	return DefinitionThread.isLarge(text) ? forRuns.inspect(text, tools, "inspectForRun") : inspectDefinition(text, tools);
}

/** Reads a definition. Rejects with `SVC_INVALID` if there are findings about its form or its graph. */
export async function read(text: string): Promise<Definition> {
	return DefinitionThread.isLarge(text) ? forRuns.read<Definition>("read", text) : readDefinition(text);
}

/** Reads a definition and returns its graph. Rejects with `SVC_INVALID` if there are findings about its form or its graph. */
export async function graph(text: string): Promise<DefinitionGraph> {
	return DefinitionThread.isLarge(text) ? forRequests.read<DefinitionGraph>("graph", text) : toGraph(readDefinition(text));
}
