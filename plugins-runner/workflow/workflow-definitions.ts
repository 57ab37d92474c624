import type { Definitions } from "../../core/contract/index.ts";
import { testDefinition } from "./cases/test-definition.ts";
import { assertTakenUp, hasHeldWork, progressOf } from "./conductor/progress.ts";
import { scopeFunctionNames } from "./conductor/scope.ts";
import { inspectDefinition } from "./definition/inspect-definition.ts";
import { readDefinition } from "./definition/read-definition.ts";
import { toGraph } from "./definition/to-graph.ts";
import { toConductorEntries } from "./run/entries.ts";

/** What may be known and tried of workflows without running them. */
export const workflowDefinitions: Definitions = {
	inspect: (text, tools) => inspectDefinition(text, tools, scopeFunctionNames),
	graph: (text) => toGraph(readDefinition(text)),
	progress: (entries) => progressOf(toConductorEntries(entries)),
	hasHeldWork: (entries) => hasHeldWork(toConductorEntries(entries)),
	assertTakenUp: (entries, tasks, reset) => assertTakenUp(toConductorEntries(entries), tasks, reset),
	test: testDefinition,
};
