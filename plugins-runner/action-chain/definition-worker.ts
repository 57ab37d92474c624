import { serveDefinitions } from "../_definition-thread/serve-definitions.ts";
import { inspectChain } from "./definition/inspect-chain.ts";
import { readChain } from "./definition/read-chain.ts";
import { toGraph } from "./definition/to-graph.ts";

serveDefinitions({
	inspect: inspectChain,
	inspectForRun: inspectChain,
	read: (text) => readChain(text),
	graph: (text) => toGraph(readChain(text)),
});
