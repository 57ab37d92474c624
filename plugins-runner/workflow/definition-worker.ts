import { serveDefinitions } from "../_definition-thread/serve-definitions.ts";
import { scopeFunctionNames } from "./conductor/scope.ts";
import { inspectDefinition } from "./definition/inspect-definition.ts";
import { readDefinition } from "./definition/read-definition.ts";
import { toGraph } from "./definition/to-graph.ts";

serveDefinitions({
	inspect: (text, tools) => inspectDefinition(text, tools, scopeFunctionNames),
	inspectForRun: (text, tools) => inspectDefinition(text, tools),
	read: readDefinition,
	graph: (text) => toGraph(readDefinition(text)),
});
