import type { TriggersApi } from "./triggers-api.ts";

/** What the routes ask of the engine. */
export interface RouteNeeds {
	readonly triggers: TriggersApi;
}
