import type { HttpFeature } from "../../http/http-feature.ts";
import { healthRoutes } from "./health-routes.ts";
import { nodeRoutes } from "./routes.ts";
import { serviceRegistryRoutes } from "./service-registry-routes.ts";

/** The nodes of the service over the API, and their health. */
export function createNodesFeature(): HttpFeature {
	return { api: {}, routes: [...healthRoutes, ...nodeRoutes, ...serviceRegistryRoutes] };
}
