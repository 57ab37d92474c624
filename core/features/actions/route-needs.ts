import type { Actions } from "./catalog-api.ts";

/** What the routes ask of the engine. */
export interface RouteNeeds {
	readonly actions: Actions;
}
