import type { Engine } from "../../core/feature.ts";
import { coreRoutes } from "../../core/features/routes.ts";
import type { Route } from "../../core/http/route.ts";
import { auditRoutes } from "../feature-audit/routes.ts";
import { webRoutes } from "../feature-web-ui/routes.ts";
import { workerRoutes } from "../feature-workers/routes.ts";

/** Every route of a service with all features of this package. The API description and the reference are made of them. */
export const routes: readonly Route<Engine>[] = [...coreRoutes, ...auditRoutes, ...webRoutes, ...workerRoutes];
