import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { TimersFeatureApi } from "./api.ts";
import { timerRoutes } from "./routes.ts";
import { timerTriggerTypes } from "./timer-types.ts";
import { Timers } from "./timers.ts";
import { createTimersApi } from "./timers-exports.ts";

/** Creates the feature for timers, which fire events at their scheduled times. */
export function createTimersFeature(kernel: Kernel): HttpFeature<TimersFeatureApi> {
	return {
		api: { timers: createTimersApi(kernel) },
		triggerTypes: timerTriggerTypes,
		loops: [["timers", new Timers(kernel)]],
		routes: timerRoutes,
	};
}
