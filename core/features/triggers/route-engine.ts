import type { TriggersApi } from "./triggers-exports.ts";

/** Services of the engine that the routes use. */
export interface RouteEngine {
	readonly triggers: TriggersApi;
}
