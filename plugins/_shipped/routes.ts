import type { Engine } from "../../core/feature.ts";
import { coreRoutes } from "../../core/features/routes.ts";
import type { Route } from "../../core/http/route.ts";
import { aliasExecutionRoutes } from "../feature-aliases/alias-executions-routes.ts";
import { aliasRoutes } from "../feature-aliases/routes.ts";
import { auditRoutes } from "../feature-audit/routes.ts";
import { packIndexRoutes } from "../feature-pack-installer/index-routes.ts";
import { packInstallRoutes } from "../feature-pack-installer/routes.ts";
import { webRoutes } from "../feature-web-ui/routes.ts";
import { workerRoutes } from "../feature-workers/routes.ts";
import { shippedFeatures } from "./features.ts";

// Defines the permissions that the routes name, for programs that use the routes without a service.
shippedFeatures();

/** Every route of a service with all features of this package. The API description and the reference are made of them. */
export const routes: readonly Route<Engine>[] = [
	...coreRoutes,
	...aliasRoutes,
	...aliasExecutionRoutes,
	...auditRoutes,
	...packIndexRoutes,
	...packInstallRoutes,
	...webRoutes,
	...workerRoutes,
];
