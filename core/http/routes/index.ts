import type { Route } from "../route.ts";
import { actionViewRoutes } from "./action-views.ts";
import { actionRoutes } from "./actions.ts";
import { executionOutputRoutes } from "./execution-output.ts";
import { executionViewRoutes } from "./execution-views.ts";
import { executionRoutes } from "./executions.ts";
import { rootRoutes } from "./root.ts";
import { runnerTypeRoutes } from "./runner-types.ts";
import { streamRoutes } from "./stream.ts";
import { tokenRoutes } from "./tokens.ts";
import { userRoutes } from "./user.ts";

/** Every route of the service. */
export const routes: readonly Route[] = [
	...rootRoutes,
	...userRoutes,
	...tokenRoutes,
	...executionViewRoutes,
	...executionRoutes,
	...executionOutputRoutes,
	...actionViewRoutes,
	...actionRoutes,
	...runnerTypeRoutes,
	...streamRoutes,
];
