import type { ServedFeature } from "../../http/served-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { TriggersFeatureApi } from "./api.ts";
import { toEndingTypes } from "./built-in-types.ts";
import { createEndedExecutions } from "./ended-executions.ts";
import { createInstances } from "./instances.ts";
import { triggerRoutes } from "./routes.ts";
import { triggerInstanceRoutes } from "./trigger-instances-routes.ts";
import { createTriggerTypes } from "./trigger-types.ts";
import { createTriggers } from "./triggers.ts";

/** Trigger types, triggers and their instances; events that the end of an execution makes. */
export function createTriggersFeature(kernel: Kernel): ServedFeature<TriggersFeatureApi> {
	return {
		api: { triggers: { types: createTriggerTypes(kernel), triggers: createTriggers(kernel), instances: createInstances(kernel) } },
		triggerTypes: toEndingTypes(kernel.options),
		follow: createEndedExecutions(kernel),
		routes: [...triggerRoutes, ...triggerInstanceRoutes],
	};
}
