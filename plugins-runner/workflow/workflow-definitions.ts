import type { Definitions } from "../../core/contract/index.ts";
import { testDefinition } from "./cases/test-definition.ts";
import { assertTakenUp, hasHeldWork, progressOf } from "./conductor/progress.ts";
import { graph, inspect } from "./large-definitions.ts";
import { toConductorEntries } from "./run/entries.ts";

/** What may be known and tried of workflows without running them. */
export const workflowDefinitions: Definitions = {
	inspect,
	graph,
	progress: (entries) => progressOf(toConductorEntries(entries)),
	hasHeldWork: (entries) => hasHeldWork(toConductorEntries(entries)),
	assertTakenUp: (entries, tasks, reset) => assertTakenUp(toConductorEntries(entries), tasks, reset),
	test: testDefinition,
};
