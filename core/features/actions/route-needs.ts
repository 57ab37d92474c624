import type { FollowedNeeds } from "../packs/followed-content-api.ts";
import type { Actions } from "./catalog-api.ts";

/** Services of the engine that the routes use. */
export interface RouteNeeds extends FollowedNeeds {
	readonly actions: Actions;
}
