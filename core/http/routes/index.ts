import type { Route } from "../route.ts";
import { accessRoutes } from "./access.ts";
import { actionViewRoutes } from "./action-views.ts";
import { actionRoutes } from "./actions.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { configRoutes } from "./configs.ts";
import { executionOutputRoutes } from "./execution-output.ts";
import { executionViewRoutes } from "./execution-views.ts";
import { executionRoutes } from "./executions.ts";
import { healthRoutes } from "./health.ts";
import { inquiryRoutes } from "./inquiries.ts";
import { keyRoutes } from "./keys.ts";
import { nodeRoutes } from "./nodes.ts";
import { policyRoutes } from "./policies.ts";
import { purgeRoutes } from "./purge.ts";
import { rootRoutes } from "./root.ts";
import { ruleEnforcementRoutes } from "./rule-enforcements.ts";
import { ruleViewRoutes } from "./rule-views.ts";
import { ruleRoutes } from "./rules.ts";
import { runnerTypeRoutes } from "./runner-types.ts";
import { sensorRoutes } from "./sensors.ts";
import { serviceRegistryRoutes } from "./service-registry.ts";
import { streamRoutes } from "./stream.ts";
import { timerRoutes } from "./timers.ts";
import { tokenRoutes } from "./tokens.ts";
import { traceRoutes } from "./traces.ts";
import { triggerInstanceRoutes } from "./trigger-instances.ts";
import { triggerRoutes } from "./triggers.ts";
import { userRoutes } from "./user.ts";
import { webhookRoutes } from "./webhooks.ts";

/** Every route of the service. */
export const routes: readonly Route[] = [
	...rootRoutes,
	...healthRoutes,
	...userRoutes,
	...tokenRoutes,
	...executionViewRoutes,
	...executionRoutes,
	...executionOutputRoutes,
	...inquiryRoutes,
	...actionViewRoutes,
	...actionRoutes,
	...runnerTypeRoutes,
	...apiKeyRoutes,
	...keyRoutes,
	...configRoutes,
	...accessRoutes,
	...webhookRoutes,
	...timerRoutes,
	...sensorRoutes,
	...ruleViewRoutes,
	...ruleRoutes,
	...ruleEnforcementRoutes,
	...policyRoutes,
	...triggerRoutes,
	...triggerInstanceRoutes,
	...traceRoutes,
	...purgeRoutes,
	...nodeRoutes,
	...serviceRegistryRoutes,
	...streamRoutes,
];
