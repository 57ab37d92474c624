import { rootRoutes } from "../http/root-routes.ts";
import type { Route } from "../http/route.ts";
import type { Engine } from "../kernel/engine-api.ts";
import { apiKeyRoutes } from "./access/api-keys-routes.ts";
import { roleRoutes } from "./access/roles-routes.ts";
import { singleSignOnRoutes } from "./access/single-sign-on-routes.ts";
import { tokenRoutes } from "./access/tokens-routes.ts";
import { userRoutes } from "./access/user-routes.ts";
import { actionViewRoutes } from "./actions/action-views-routes.ts";
import { actionRoutes } from "./actions/routes.ts";
import { runnerTypeRoutes } from "./actions/runner-types-routes.ts";
import { keyRoutes } from "./datastore/routes.ts";
import { executionOutputRoutes } from "./executions/execution-output-routes.ts";
import { executionViewRoutes } from "./executions/execution-views-routes.ts";
import { executionRoutes } from "./executions/routes.ts";
import { streamRoutes } from "./executions/stream-routes.ts";
import { inquiryRoutes } from "./inquiries/routes.ts";
import { healthRoutes } from "./nodes/health-routes.ts";
import { nodeRoutes } from "./nodes/routes.ts";
import { packViewRoutes } from "./packs/pack-view-routes.ts";
import { packRoutes } from "./packs/routes.ts";
import { policyRoutes } from "./policies/routes.ts";
import { purgeRoutes } from "./retention/routes.ts";
import { ruleRoutes } from "./rules/routes.ts";
import { ruleEnforcementRoutes } from "./rules/rule-enforcements-routes.ts";
import { ruleViewRoutes } from "./rules/rule-views-routes.ts";
import { sensorRoutes } from "./sensors/routes.ts";
import { telemetryRoutes } from "./telemetry/routes.ts";
import { timerRoutes } from "./timers/routes.ts";
import { traceRoutes } from "./traces/routes.ts";
import { triggerRoutes } from "./triggers/routes.ts";
import { triggerInstanceRoutes } from "./triggers/trigger-instances-routes.ts";
import { webhookRoutes } from "./webhooks/routes.ts";
import { workflowRoutes } from "./workflows/routes.ts";

/** The routes that every service has. */
export const coreRoutes: readonly Route<Engine>[] = [
	...rootRoutes,
	...healthRoutes,
	...userRoutes,
	...tokenRoutes,
	...singleSignOnRoutes,
	...executionViewRoutes,
	...executionRoutes,
	...executionOutputRoutes,
	...workflowRoutes,
	...inquiryRoutes,
	...actionViewRoutes,
	...actionRoutes,
	...runnerTypeRoutes,
	...apiKeyRoutes,
	...keyRoutes,
	...packViewRoutes,
	...packRoutes,
	...roleRoutes,
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
	...telemetryRoutes,
	...streamRoutes,
];

/** Routes that need only a valid credential, but no permission. */
export const openToAuthenticated: ReadonlySet<string> = new Set([
	"api GET /",
	"api GET /user",
	"api GET /packs/views/file/:pack/icon.png",
	"auth DELETE /tokens/:token",
]);
