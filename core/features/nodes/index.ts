import type { HttpFeature } from "../../http/http-feature.ts";
import { healthRoutes } from "./health-routes.ts";
import { nodeRoutes } from "./routes.ts";

/** Creates the feature with the API for nodes and their health. */
export function createNodesFeature(): HttpFeature {
	return { api: {}, routes: [...healthRoutes, ...nodeRoutes] };
}
