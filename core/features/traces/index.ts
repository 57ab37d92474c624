import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { TracesApi } from "./api.ts";
import { traceRoutes } from "./routes.ts";
import { StoredTraces } from "./stored-traces.ts";
import type { TracesDependencies } from "./traces-exports.ts";

/** Creates the feature for traces, which connect executions, rule enforcements and trigger instances. */
export function createTracesFeature(kernel: Kernel, { enforcements }: TracesDependencies): HttpFeature<TracesApi> {
	return { api: { traces: new StoredTraces({ ...kernel, enforcements }) }, routes: traceRoutes };
}
