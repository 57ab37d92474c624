import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { ExecutionsApi } from "./api.ts";
import { executionOutputRoutes } from "./execution-output-routes.ts";
import { executionViewRoutes } from "./execution-views-routes.ts";
import { HostProgramRuns } from "./host-program-runs.ts";
import { executionRoutes } from "./routes.ts";
import { createEvents } from "./stream-events.ts";
import { streamRoutes } from "./stream-routes.ts";

/** Creates the feature that serves executions and their output over the API and the streams, and runs actions for the embedding program. */
export function createExecutionsFeature(kernel: Kernel): HttpFeature<ExecutionsApi> {
	const runs = new HostProgramRuns({ ...kernel, systemUser: kernel.options.system_user.user });
	return {
		api: { run: (action, parameters, options) => runs.run(action, parameters, options), events: createEvents(kernel) },
		start: () => runs.start(),
		stop: () => runs.stop(),
		routes: [...executionViewRoutes, ...executionRoutes, ...executionOutputRoutes, ...streamRoutes],
	};
}
