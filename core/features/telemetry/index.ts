import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { measureBacklog } from "./backlog-metrics.ts";
import { telemetryRoutes } from "./routes.ts";
import { Tracer } from "./tracer.ts";

/** Creates the feature for metrics and trace spans. */
export function createTelemetryFeature(kernel: Kernel): HttpFeature {
	measureBacklog(kernel);
	if (kernel.hub.acceptsSpans) new Tracer(kernel).start();
	return { api: {}, routes: telemetryRoutes };
}
