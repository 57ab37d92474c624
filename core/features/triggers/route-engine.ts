import type { TriggersApi } from "./triggers-api.ts";

/** Services of the engine that the routes use. */
export interface RouteEngine {
	readonly triggers: TriggersApi;
}
